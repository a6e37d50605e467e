// The GPUs that the runtime sees, in its order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

struct RuntimeGpu {
  std::uint32_t compute_units = 0;
  double clock_ghz = 1;
  std::optional<PciAddress> pci;
  std::optional<GpuId> id;  ///< its place in the Topology; none when that does not know it
};

/// Looks at every GPU, and makes no context on any. On a thread of skua's own.
/// Fails: GpuError, also when there is none.
std::vector<RuntimeGpu> list_gpus(const Topology& topology);

}  // namespace skua
