// Sums and runs, against what is said of them.
#include "granule_record.hpp"

#include <cstddef>
#include <cstring>

#include <skua/reduction.hpp>

namespace skua {

GranuleRecord::GranuleRecord(std::uint64_t items, std::uint64_t granule_items, Unit unit)
    : granule_items_(granule_items),
      unit_(unit),
      runs_(items / granule_items + (items % granule_items != 0 ? 1 : 0), 0) {}

void GranuleRecord::run_on_host(const Chunk& chunk) const {
  auto* to = static_cast<std::byte*>(chunk.partials);
  for (std::uint64_t item = chunk.begin; item < chunk.end; item += granule_items_) {
    ++runs_[item / granule_items_];
    const double result = value(item);
    std::memcpy(to, &result, sizeof result);
    to += sizeof result;
  }
}

std::string GranuleRecord::check_sum(const Partials& partials, const std::vector<Interval>& owned) const {
  PairwiseTree<double, Plus> tree(Plus{});
  for (const Interval& granules : owned) {
    for (std::uint64_t granule = granules.front; granule < granules.back; ++granule) {
      tree.add(value(granule * granule_items_));
    }
  }
  const double expected = tree.empty() ? 0.0 : 0.0 + tree.result();
  const double sum = combine_partials(partials, 0.0, Plus{});
  return std::memcmp(&sum, &expected, sizeof sum) == 0 ? "" : "the reduction's bits are not those of one device";
}

std::string GranuleRecord::check_runs(const Report& report, const std::vector<Interval>& owned, bool repeatable) const {
  auto gap = report.not_done.begin();
  for (const Interval& granules : owned) {
    for (std::uint64_t granule = granules.front; granule < granules.back; ++granule) {
      const std::uint64_t item = granule * granule_items_;
      while (gap != report.not_done.end() && gap->end <= item) ++gap;
      const bool is_done = gap == report.not_done.end() || item < gap->begin;
      const std::string what = "granule " + std::to_string(granule) + " is said to be ";
      if (is_done && runs_[granule] == 0) return what + "done, and was not run";
      if (!is_done && runs_[granule] > 0) return what + "not done, and was run";
      if (runs_[granule] > 1 && !repeatable) return "granule " + std::to_string(granule) + " was run more than once";
    }
  }
  return "";
}

}  // namespace skua
