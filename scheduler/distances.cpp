// Nearness of devices, from the Topology.
#include "distances.hpp"

#include <algorithm>
#include <utility>

namespace skua {
namespace {

/// Smaller is nearer. `nearest` is the Topology's order for the GPU of `from`.
std::size_t nearness(const DeviceInfo& from, const DeviceInfo& to, const std::vector<GpuId>& nearest) {
  if (from.gpu && to.gpu) {
    if (*from.gpu == *to.gpu) return 0;
    return 1 + static_cast<std::size_t>(std::find(nearest.begin(), nearest.end(), *to.gpu) - nearest.begin());
  }
  const std::size_t beyond_gpus = 2 + nearest.size();
  return from.numa_node && from.numa_node == to.numa_node ? beyond_gpus : beyond_gpus + 1;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> device_distances(const Devices& devices, const Topology& topology) {
  const auto count = static_cast<std::uint32_t>(devices.size());
  std::vector<std::vector<std::uint32_t>> distances;
  for (std::uint32_t from = 0; from < count; ++from) {
    const DeviceInfo& info = devices[from]->info();
    const bool listed = info.gpu && info.gpu->index < topology.gpus.size();
    const std::vector<GpuId> nearest = listed ? topology.nearest(*info.gpu) : std::vector<GpuId>{};
    std::vector<std::pair<std::size_t, std::uint32_t>> order;  // nearness, steps from the device itself
    for (std::uint32_t step = 1; step < count; ++step) {
      order.emplace_back(nearness(info, devices[(from + step) % count]->info(), nearest), step);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> places(count, 0);
    for (std::uint32_t place = 0; place < order.size(); ++place)
      places[(from + order[place].second) % count] = place + 1;
    distances.push_back(std::move(places));
  }
  return distances;
}

}  // namespace skua
