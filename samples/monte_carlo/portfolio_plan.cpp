// Planning, and adding up.
#include "portfolio_plan.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include <skua/input.hpp>
#include <skua/job_options.hpp>

namespace monte_carlo {
namespace {

/// Bodies read a few words for each granule, which lie in a table.
constexpr std::uint64_t granules_max = std::uint64_t{1} << 20;
constexpr std::uint64_t items_max = std::uint64_t{1} << 62;

std::uint64_t count_granules(const std::vector<std::uint64_t>& items, unsigned shift) {
  std::uint64_t granules = 0;
  for (const std::uint64_t each : items) granules += ((each - 1) >> shift) + 1;
  return granules;
}

unsigned shift_from(std::uint64_t granule_items) {
  return static_cast<unsigned>(std::bit_width(granule_items - 1));
}

/// Smaller granules have less padding; far more of them than usual cost more than they save.
unsigned chosen_shift(const std::vector<std::uint64_t>& items, std::uint64_t all_items) {
  constexpr std::uint64_t granules_wanted_max = 65'536;
  constexpr double padding_max = 1.0 / 32;
  unsigned shift = shift_from(skua::default_granule_items(all_items));
  const auto padded = [&] {
    return static_cast<double>(count_granules(items, shift)) * static_cast<double>(std::uint64_t{1} << shift);
  };
  while (shift > 0 && padded() > (1 + padding_max) * static_cast<double>(all_items) &&
         count_granules(items, shift - 1) <= granules_wanted_max) {
    --shift;
  }
  return shift;
}

}  // namespace

std::uint64_t PortfolioPlan::granules() const {
  return stretches.empty() ? 0 : std::uint64_t{stretches.back().first_granule} + stretches.back().granules;
}

PortfolioPlan plan_portfolio(const std::vector<std::uint64_t>& items, std::uint64_t granule_items) {
  std::uint64_t all_items = 0;
  for (const std::uint64_t each : items) {
    assert(each > 0);
    if (each > items_max - all_items) throw skua::InputError("--portfolio: has more than 2^64 paths in all");
    all_items += each;
  }
  PortfolioPlan plan;
  plan.granule_shift = granule_items > 0 ? shift_from(granule_items) : chosen_shift(items, all_items);
  const std::uint64_t granules = count_granules(items, plan.granule_shift);
  if (granules > granules_max) {
    throw skua::InputError(fmt::format("{} would be {} granules, and {} are possible",
                                       granule_items > 0 ? "--granule: the portfolio" : "--portfolio: its options",
                                       granules, granules_max));
  }
  if (granules > items_max >> plan.granule_shift) {
    throw skua::InputError("--portfolio: each option in granules of its own, there are more than 2^64 paths");
  }
  std::uint64_t first = 0;
  for (const std::uint64_t each : items) {
    const std::uint64_t count = ((each - 1) >> plan.granule_shift) + 1;
    plan.stretches.push_back({each, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)});
    first += count;
  }
  return plan;
}

std::vector<StretchSums> sums_by_stretch(const PortfolioPlan& plan, const skua::Partials& partials) {
  using Value = skua::Sums<2>;
  std::vector<StretchSums> results(plan.stretches.size());
  std::optional<skua::PairwiseTree<Value, skua::Plus>> tree(skua::Plus{});
  std::size_t at = 0;
  const auto finish = [&] {
    if (!tree->empty()) results[at].sums = results[at].sums + tree->result();
    tree.emplace(skua::Plus{});
    ++at;
  };
  for (const skua::Partials::Piece& piece : partials.pieces) {
    const auto* values = reinterpret_cast<const Value*>(piece.first);
    for (std::uint32_t granule = piece.granules.front; granule < piece.granules.back; ++granule) {
      while (granule >= plan.stretches[at].first_granule + plan.stretches[at].granules) finish();
      const Stretch& stretch = plan.stretches[at];
      const std::uint64_t before = std::uint64_t{granule - stretch.first_granule} << plan.granule_shift;
      results[at].items_done += std::min(plan.granule_items(), stretch.items - before);
      tree->add(values[granule - piece.granules.front]);
    }
  }
  if (at < results.size()) finish();
  return results;
}

}  // namespace monte_carlo
