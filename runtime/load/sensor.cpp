// Joins what several sensors say of one GPU.
#include "sensor.hpp"

#include <algorithm>

namespace skua {

void GpuLoad::fill_from(const GpuLoad& other) {
  const auto fill = [](auto& mine, const auto& theirs) {
    if (!mine) mine = theirs;
  };
  fill(own_occupancy, other.own_occupancy);
  fill(others_occupancy, other.others_occupancy);
  fill(total_occupancy, other.total_occupancy);
  fill(busy, other.busy);
  fill(own_busy, other.own_busy);
  fill(others_busy, other.others_busy);
  fill(others_present, other.others_present);
  // An empty optional is less than any time.
  at_ns = std::max(at_ns, other.at_ns);
}

}  // namespace skua
