// The GPUs that the runtime sees, in its order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

struct RuntimeGpu {
  std::uint32_t compute_units = 0;
  double clock_ghz = 1;
  std::string arch;                              ///< AMD's name of it, "gfx90a"; empty on others
  std::optional<std::uint32_t> xcds;             ///< that its workgroups are dealt to
  std::optional<std::uint32_t> shader_engines;   ///< of all its XCDs together
  std::optional<std::uint32_t> hardware_queues;  ///< for all processes together
  std::optional<PciAddress> pci;                 ///< as the runtime says it: AMD's have the partition as the function
  std::optional<GpuId> id;                       ///< its place in the Topology; none when that does not know it
};

/// Looks at every GPU, and makes no context on any. What the runtime does not tell is the Topology's. On a thread of
/// skua's own.
/// Fails: GpuError, also when there is none.
std::vector<RuntimeGpu> list_gpus(const Topology& topology);

/// Finds each GPU's place in the Topology: by its address; or else by its function taken for a partition, as AMD's
/// runtime has it; or else, among those of one address, by their order. What is hidden there is nobody's place.
void find_in_topology(std::vector<RuntimeGpu>& gpus, const Topology& topology);

}  // namespace skua
