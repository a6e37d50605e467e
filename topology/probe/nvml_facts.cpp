// Asks NVML.
#include "nvml_facts.hpp"

#include <fmt/format.h>

#include <graph/vendor_address.hpp>
#include <vendor/nvml_library.hpp>

namespace skua {
namespace {

constexpr unsigned nvlinks_max = 32;
constexpr unsigned peer_gpu = 0;
constexpr unsigned peer_switch = 2;

using Device = NvmlDevice*;

class Questions {
 public:
  explicit Questions(const NvmlLibrary& library) : library_(library) {}
  NvmlFacts ask() const;

 private:
  std::string text(const char* function, Device device) const;
  std::vector<Device> ask_devices(std::vector<std::string>& lost) const;
  NvmlGpu ask_gpu(Device device) const;
  std::vector<NvlinkFacts> ask_nvlinks(Device device) const;
  std::optional<Locality> ask_locality(Device from, Device to) const;

  const NvmlLibrary& library_;
};

std::optional<PciAddress> address_from(const std::optional<NvmlPciInfo>& info) {
  return info ? std::optional(pci_address_from(*info)) : std::nullopt;
}

std::string Questions::text(const char* function, Device device) const {
  char buffer[128] = "";
  const auto status =
      library_.call(function, device, static_cast<char*>(buffer), static_cast<unsigned>(sizeof(buffer)));
  if (status != NvmlStatus::success) return "";
  buffer[sizeof(buffer) - 1] = '\0';
  return buffer;
}

std::vector<NvlinkFacts> Questions::ask_nvlinks(Device device) const {
  std::vector<NvlinkFacts> links;
  for (unsigned number = 0; number < nvlinks_max; ++number) {
    if (library_.answer<unsigned>("nvmlDeviceGetNvLinkState", device, number).value_or(0) != 1) continue;
    NvlinkFacts link;
    link.version = library_.answer<unsigned>("nvmlDeviceGetNvLinkVersion", device, number);
    link.peer_pci = address_from(library_.answer<NvmlPciInfo>("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, number));
    const auto peer = library_.answer<unsigned>("nvmlDeviceGetNvLinkRemoteDeviceType", device, number);
    if (peer == peer_gpu) link.peer = NvlinkPeer::gpu;
    if (peer == peer_switch) link.peer = NvlinkPeer::switch_;
    links.push_back(link);
  }
  return links;
}

NvmlGpu Questions::ask_gpu(Device device) const {
  NvmlGpu gpu;
  gpu.name = text("nvmlDeviceGetName", device);
  const std::string uuid = text("nvmlDeviceGetUUID", device);
  if (!uuid.empty()) gpu.uuid = uuid;
  gpu.pci = address_from(library_.pci_info(device));
  if (const auto memory = library_.answer<NvmlMemory>("nvmlDeviceGetMemoryInfo", device))
    gpu.memory_bytes = memory->total;
  int major = 0;
  int minor = 0;
  if (library_.call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor) == NvmlStatus::success && major > 0 &&
      minor >= 0) {
    gpu.capability_major = static_cast<std::uint32_t>(major);
    gpu.capability_minor = static_cast<std::uint32_t>(minor);
  }
  gpu.cores = library_.answer<unsigned>("nvmlDeviceGetNumGpuCores", device);
  unsigned current = 0;
  unsigned pending = 0;
  gpu.is_partitioned =
      library_.call("nvmlDeviceGetMigMode", device, &current, &pending) == NvmlStatus::success && current == 1;
  gpu.nvlinks = ask_nvlinks(device);
  return gpu;
}

std::optional<Locality> Questions::ask_locality(Device from, Device to) const {
  const auto level = library_.answer<unsigned>("nvmlDeviceGetTopologyCommonAncestor", from, to);
  if (!level) return std::nullopt;
  // Levels are tens: 0 one board, 10 one switch, 20 several switches, 30 a host bridge, 40 a NUMA node, 50 the system.
  if (*level <= 20) return Locality::switch_;
  if (*level <= 30) return Locality::bridge;
  return *level <= 40 ? Locality::node : Locality::system;
}

/// GPUs that this process may not use are none of its business; others that cannot be asked go to `lost`.
std::vector<Device> Questions::ask_devices(std::vector<std::string>& lost) const {
  const unsigned count = library_.answer<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  std::vector<Device> devices;
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    const NvmlStatus status = library_.call("nvmlDeviceGetHandleByIndex_v2", index, &device);
    if (status == NvmlStatus::success) {
      devices.push_back(device);
    } else if (status == NvmlStatus::gpu_is_lost) {
      lost.push_back(fmt::format("GPU {} of {} has fallen off the bus", index, count));
    } else if (status != NvmlStatus::no_permission) {
      lost.push_back(fmt::format("GPU {} of {} answers with status {}", index, count, static_cast<int>(status)));
    }
  }
  return devices;
}

NvmlFacts Questions::ask() const {
  NvmlFacts facts;
  if (const NvmlStatus status = library_.start(); status != NvmlStatus::success) {
    facts.failure = fmt::format("refused to start with status {}", static_cast<int>(status));
    return facts;
  }
  const std::vector<Device> devices = ask_devices(facts.lost);
  for (const Device device : devices) facts.gpus.push_back(ask_gpu(device));
  for (const Device from : devices) {
    for (const Device to : devices) facts.localities.push_back(from == to ? std::nullopt : ask_locality(from, to));
  }
  library_.shut_down();
  return facts;
}

}  // namespace

std::optional<NvmlFacts> ask_nvml(const std::string& name) {
  const auto library = NvmlLibrary::open(name);
  return library ? std::optional(Questions(*library).ask()) : std::nullopt;
}

}  // namespace skua
