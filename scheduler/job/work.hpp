// A loop's granules as work: what they are thought to cost, in items of the mean cost.
#pragma once

#include <cstdint>
#include <utility>

#include <decide/place_costs.hpp>

#include "granules.hpp"

namespace skua {

/// A value. Where all items cost the same, the work of granules is the number of their items.
class Work {
 public:
  Work(const Granules& granules, PlaceCosts costs) : granules_(granules), costs_(std::move(costs)) {}

  double of(Interval granules) const noexcept {
    if (granules.empty()) return 0;
    if (costs_.is_even()) return static_cast<double>(granules_.items_in(granules));
    return before(granules.back) - before(granules.front);
  }

  /// How many granules from the front of `granules` have about that much work; one at least, where there is one.
  std::uint32_t granules_in_front(Interval granules, double work) const noexcept;
  /// How many granules from the front of `granules` cost the same, as far as is known; one at least, where there is
  /// one.
  std::uint32_t granules_alike(Interval granules) const noexcept;
  /// The same as granules_in_front() from the back; none for less than half of one.
  std::uint32_t granules_at_back(Interval granules, double work) const noexcept;

  /// The granule next to which about that much work of `granules` lies before it.
  std::uint32_t border_in(Interval granules, double work) const noexcept;

  /// Where a granule begins, as a part of the loop.
  double point(std::uint32_t granule) const noexcept {
    return granule >= granules_.count()
               ? 1
               : static_cast<double>(granule * granules_.granule_items()) / static_cast<double>(granules_.items());
  }

 private:
  double before(std::uint32_t granule) const noexcept {
    return costs_.before(point(granule)) * static_cast<double>(granules_.items());
  }
  /// The granule, counted with fractions, that has that much work before it.
  double granule_after(double work) const noexcept {
    const auto items = static_cast<double>(granules_.items());
    return costs_.point_after(work / items) * items / static_cast<double>(granules_.granule_items());
  }

  Granules granules_;
  PlaceCosts costs_;
};

}  // namespace skua
