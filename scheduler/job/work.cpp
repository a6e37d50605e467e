// From work back to granules.
#include "work.hpp"

#include <algorithm>
#include <cmath>

namespace skua {

std::uint32_t Work::granules_in_front(Interval granules, double work) const noexcept {
  if (granules.empty()) return 0;
  const double border = costs_.is_even() ? granules.front + work / static_cast<double>(granules_.granule_items())
                                         : granule_after(before(granules.front) + work);
  const double wanted = std::ceil(border - granules.front - 1e-9);
  return static_cast<std::uint32_t>(std::clamp<double>(wanted, 1, granules.size()));
}

std::uint32_t Work::granules_alike(Interval granules) const noexcept {
  if (granules.size() < 2 || costs_.is_even()) return granules.size();
  const double border = costs_.next_border((point(granules.front) + point(granules.front + 1)) / 2);
  const double granule =
      border * static_cast<double>(granules_.items()) / static_cast<double>(granules_.granule_items());
  return static_cast<std::uint32_t>(std::clamp<double>(std::round(granule - granules.front), 1, granules.size()));
}

std::uint32_t Work::granules_at_back(Interval granules, double work) const noexcept {
  if (granules.empty()) return 0;
  const double all = of(granules);
  const double border = costs_.is_even() ? granules.back - work / static_cast<double>(granules_.granule_items())
                                         : granule_after(before(granules.front) + std::max(0.0, all - work));
  return static_cast<std::uint32_t>(std::clamp<double>(std::round(granules.back - border), 0, granules.size()));
}

std::uint32_t Work::border_in(Interval granules, double work) const noexcept {
  const double border = granule_after(before(granules.front) + work);
  return static_cast<std::uint32_t>(std::clamp<double>(std::round(border), granules.front, granules.back));
}

}  // namespace skua
