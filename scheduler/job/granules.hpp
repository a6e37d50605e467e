// A loop's items cut into granules: the arithmetic.
#pragma once

#include <cstdint>

#include <skua/detail/interval.hpp>
#include <skua/report.hpp>

namespace skua {

/// A value. All granules have `granule_items` items, but the last one may be short.
class Granules {
 public:
  static constexpr std::uint64_t count_max = std::uint64_t{1} << 31;

  /// Fails: InputError when there are more than 2^31 granules, or the granule has no items.
  Granules(std::uint64_t items, std::uint64_t granule_items);

  std::uint64_t items() const noexcept { return items_; }
  std::uint64_t granule_items() const noexcept { return granule_items_; }
  std::uint32_t count() const noexcept { return count_; }
  Interval all() const noexcept { return {0, count_}; }

  std::uint64_t items_in(Interval granules) const noexcept {
    if (granules.empty()) return 0;
    // Comparing granules avoids an end beyond 2^64.
    if (granules.back == count_) return items_ - granules.front * granule_items_;
    return granules.size() * granule_items_;
  }

  ItemRange range(Interval granules) const noexcept {
    const std::uint64_t begin = granules.front * granule_items_;
    return {begin, begin + items_in(granules)};
  }

 private:
  std::uint64_t items_;
  std::uint64_t granule_items_;
  std::uint32_t count_;
};

}  // namespace skua
