// Nearness of devices, from the Topology.
#include "nearness.hpp"

namespace skua {

Nearness::Nearness(const std::vector<const DeviceInfo*>& devices, const Topology& topology) {
  const auto gpu_count = static_cast<std::uint32_t>(topology.gpus.size());
  gpu_ranks_.assign(gpu_count, {});
  for (const DeviceInfo* info : devices) {
    places_.push_back({info->gpu, info->numa_node});
    if (!info->gpu || info->gpu->index >= gpu_count || !gpu_ranks_[info->gpu->index].empty()) continue;
    std::vector<std::uint32_t>& ranks = gpu_ranks_[info->gpu->index];
    ranks.assign(gpu_count, gpu_count);
    const std::vector<GpuId> nearest = topology.nearest(*info->gpu);
    for (std::uint32_t place = 0; place < nearest.size(); ++place) ranks[nearest[place].index] = place;
  }
}

std::uint32_t Nearness::rank(const Place& from, const Place& to) const noexcept {
  const auto gpu_count = static_cast<std::uint32_t>(gpu_ranks_.size());
  if (from.gpu && to.gpu) {
    if (*from.gpu == *to.gpu) return 0;
    const bool listed = from.gpu->index < gpu_count && to.gpu->index < gpu_count;
    return 1 + (listed ? gpu_ranks_[from.gpu->index][to.gpu->index] : gpu_count);
  }
  const std::uint32_t beyond_gpus = 2 + gpu_count;
  return from.node && from.node == to.node ? beyond_gpus : beyond_gpus + 1;
}

std::uint64_t Nearness::distance(std::uint32_t from, std::uint32_t to) const noexcept {
  if (from == to) return 0;
  const auto count = static_cast<std::uint32_t>(places_.size());
  const std::uint32_t steps = to > from ? to - from : count - from + to;
  return (std::uint64_t{rank(places_[from], places_[to])} << 32) | steps;
}

}  // namespace skua
