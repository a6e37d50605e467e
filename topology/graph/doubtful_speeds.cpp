// Compares speeds with those of the host, of the other direction, and within GPUs.
#include "doubtful_speeds.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace skua {
namespace {

constexpr double tenfold = 10;

GpuId id_of(std::size_t place) {
  return GpuId{static_cast<std::uint32_t>(place)};
}

bool is_joined(const MeasuredSpeeds::Pair& pair) {
  return pair.kind == LinkKind::xgmi || pair.kind == LinkKind::nvlink || pair.kind == LinkKind::package;
}

bool are_alike(double a, double b) {
  constexpr double tolerance = 0.01;
  return std::abs(a - b) <= tolerance * std::max(a, b);
}

bool repeats(const MeasuredSpeeds& speeds, std::size_t from, const std::vector<std::optional<double>>& host_row) {
  bool joins_others = false;
  std::size_t alike = 0;
  for (std::size_t to = 0; to < speeds.count(); ++to) {
    const auto& pair = speeds.at(from, to);
    if (to == from || !pair.gb_per_s || !host_row[to]) continue;
    if (!are_alike(*pair.gb_per_s, *host_row[to])) return false;
    joins_others = joins_others || is_joined(pair);
    ++alike;
  }
  // Over PCIe a GPU may well be as far as the host; only in itself it never is.
  const auto& within = speeds.at(from, from).gb_per_s;
  const bool is_copy = within && host_row[from] && are_alike(*within, *host_row[from]);
  return alike > 0 && (joins_others || is_copy);
}

bool repeats_the_host(const MeasuredSpeeds& speeds, std::size_t from) {
  return std::any_of(speeds.host_rows.begin(), speeds.host_rows.end(),
                     [&](const auto& row) { return repeats(speeds, from, row); });
}

/// The fastest copies from the host to each GPU; 0 where none is known.
std::vector<double> fastest_from_host(const MeasuredSpeeds& speeds) {
  std::vector<double> fastest(speeds.count());
  for (const auto& row : speeds.host_rows) {
    for (std::size_t to = 0; to < row.size(); ++to) fastest[to] = std::max(fastest[to], row[to].value_or(0));
  }
  return fastest;
}

/// What is wrong with one direction of a pair by itself; empty when nothing is.
std::string why_not(const MeasuredSpeeds& speeds, std::size_t from, std::size_t to, double from_host) {
  constexpr double nearly_within = 0.9;
  const auto& pair = speeds.at(from, to);
  if (!pair.gb_per_s) return "";
  if (is_joined(pair) && *pair.gb_per_s * tenfold < from_host) {
    return fmt::format("{:.1f} GB/s over links, where copies from the host reach {:.1f}", *pair.gb_per_s, from_host);
  }
  const auto& within = speeds.at(to, to).gb_per_s;
  // A GPU that is no faster within itself than the host reaches it was not measured.
  const bool is_measured = within && *within > from_host && !are_alike(*within, from_host);
  if (pair.kind != LinkKind::package && is_measured && *pair.gb_per_s > nearly_within * *within) {
    return fmt::format("{:.1f} GB/s, where copies within a GPU reach {:.1f}", *pair.gb_per_s, *within);
  }
  return "";
}

}  // namespace

std::vector<Doubt> doubtful_speeds(const MeasuredSpeeds& speeds) {
  const std::vector<double> from_host = fastest_from_host(speeds);
  std::vector<Doubt> doubts;
  for (std::size_t from = 0; from < speeds.count(); ++from) {
    if (repeats_the_host(speeds, from)) {
      doubts.push_back({id_of(from), std::nullopt, "its speeds to other GPUs repeat those of copies from the host"});
      continue;
    }
    for (std::size_t to = 0; to < speeds.count(); ++to) {
      if (from == to) continue;
      const auto& there = speeds.at(from, to).gb_per_s;
      const auto& back = speeds.at(to, from).gb_per_s;
      std::string why = why_not(speeds, from, to, from_host[to]);
      const bool are_known = there.value_or(0) > 0 && back.value_or(0) > 0;
      if (why.empty() && are_known && std::max(*there, *back) >= tenfold * std::min(*there, *back)) {
        why = fmt::format("{:.1f} GB/s, and {:.1f} back", *there, *back);
      }
      if (!why.empty()) doubts.push_back({id_of(from), id_of(to), std::move(why)});
    }
  }
  return doubts;
}

}  // namespace skua
