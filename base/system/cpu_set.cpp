// CpuSet: set operations, and the kernel's list form.
#include <skua/detail/cpu_set.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <text/numbers.hpp>
#include <text/pieces.hpp>

namespace skua {
namespace {

constexpr unsigned cpu_max = 1'048'575;

std::optional<unsigned> cpu_number(std::string_view text) {
  const auto number = number_from<unsigned>(text);
  return number && *number <= cpu_max ? number : std::nullopt;
}

/// Appends the CPUs of "7" or "4-7".
bool append_range(std::string_view range, std::vector<unsigned>& cpus) {
  const auto dash = range.find('-');
  const auto first = cpu_number(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : cpu_number(range.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  for (unsigned cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  return true;
}

}  // namespace

CpuSet::CpuSet(std::vector<unsigned> cpus) : cpus_(std::move(cpus)) {
  std::sort(cpus_.begin(), cpus_.end());
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
}

std::optional<CpuSet> CpuSet::from_list(std::string_view text) {
  text = trimmed(text);
  std::vector<unsigned> cpus;
  if (text.empty()) return CpuSet();
  for (const std::string_view range : split(text, ',')) {
    // Overlapping ranges may repeat; a hostile list must not grow without bound.
    if (cpus.size() > 4 * std::size_t{cpu_max} || !append_range(range, cpus)) return std::nullopt;
  }
  return CpuSet(std::move(cpus));
}

std::string CpuSet::to_list() const {
  std::string text;
  for (std::size_t i = 0; i < cpus_.size();) {
    std::size_t last = i;
    while (last + 1 < cpus_.size() && cpus_[last + 1] == cpus_[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus_[i]);
    if (last > i) text += '-' + std::to_string(cpus_[last]);
    i = last + 1;
  }
  return text;
}

bool CpuSet::contains(unsigned cpu) const noexcept {
  return std::binary_search(cpus_.begin(), cpus_.end(), cpu);
}

CpuSet CpuSet::intersection(const CpuSet& other) const {
  CpuSet both;
  std::set_intersection(cpus_.begin(), cpus_.end(), other.cpus_.begin(), other.cpus_.end(),
                        std::back_inserter(both.cpus_));
  return both;
}

}  // namespace skua
