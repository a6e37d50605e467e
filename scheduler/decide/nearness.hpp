// How near the devices of a Scheduler are to one another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <skua/device.hpp>
#include <skua/topology.hpp>

namespace skua {

/// Parts of the same GPU are nearest, then other GPUs by the graph, then devices of the same NUMA node, then all
/// others; equals are counted on from the device itself, so that thieves start at different victims. Threads: any; a
/// value.
class Nearness {
 public:
  Nearness(const std::vector<const DeviceInfo*>& devices, const Topology& topology);

  /// Smaller is nearer; 0 for the device itself, and no two devices are equally near.
  std::uint64_t distance(std::uint32_t from, std::uint32_t to) const noexcept;

 private:
  struct Place {
    std::optional<GpuId> gpu;
    std::optional<NumaId> node;
  };

  std::uint32_t rank(const Place& from, const Place& to) const noexcept;

  std::vector<Place> places_;
  std::vector<std::vector<std::uint32_t>> gpu_ranks_;  ///< of each GPU, the place of each in its order
};

}  // namespace skua
