// Granules that follow one another.
#pragma once

#include <cstdint>

namespace skua {

/// Granules [front, back).
struct Interval {
  std::uint32_t front = 0;
  std::uint32_t back = 0;

  bool empty() const noexcept { return front >= back; }
  std::uint32_t size() const noexcept { return empty() ? 0 : back - front; }
  bool operator==(const Interval&) const = default;
};

}  // namespace skua
