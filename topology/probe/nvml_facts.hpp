// What NVIDIA's management library says of GPUs and their links.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

/// The far end of an NVLink.
enum class NvlinkPeer { gpu, switch_, other };

struct NvlinkFacts {
  std::optional<std::uint32_t> version;  ///< NVML's number for the generation
  NvlinkPeer peer = NvlinkPeer::other;
  std::optional<PciAddress> peer_pci;
};

struct NvmlGpu {
  std::string name;
  std::optional<std::string> uuid;
  std::optional<PciAddress> pci;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint32_t> capability_major;
  std::optional<std::uint32_t> capability_minor;
  std::optional<std::uint32_t> cores;
  bool is_partitioned = false;       ///< MIG is on
  std::vector<NvlinkFacts> nvlinks;  ///< active ones
};

/// NVML's answers. A machine without the library, its driver or a GPU gives no object or no GPUs.
struct NvmlFacts {
  std::vector<NvmlGpu> gpus;
  /// For every ordered pair, [from * gpus + to]: what they share on the way over PCIe.
  std::vector<std::optional<Locality>> localities;
  std::optional<std::string> failure;  ///< what the library said when it refused to start
  std::vector<std::string> lost;       ///< GPUs that it counts but does not let be asked, each with why
};

/// Loads the library of that name with a handle of its own, asks, and shuts it down again.
/// Returns nullopt when it is not there.
std::optional<NvmlFacts> ask_nvml(const std::string& name);

}  // namespace skua
