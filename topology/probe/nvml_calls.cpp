// Calls NVML through addresses taken from its own handle.
#include "nvml_calls.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

namespace skua {
namespace {

// The few types that are needed, as NVML's documentation fixes them: its header comes with CUDA only.
struct NvmlDevice;
using Device = NvmlDevice*;
using Status = int;
constexpr Status status_success = 0;

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

constexpr unsigned nvlinks_max = 32;
constexpr unsigned peer_gpu = 0;
constexpr unsigned peer_switch = 2;

class Calls {
 public:
  explicit Calls(void* library) : library_(library) {}
  NvmlFacts ask() const;

 private:
  template <class... Parameters>
  Status call(const char* name, Parameters... parameters) const {
    const auto address = reinterpret_cast<Status (*)(Parameters...)>(dlsym(library_, name));
    constexpr Status status_not_found = 13;
    return address == nullptr ? status_not_found : address(parameters...);
  }

  template <class Value, class... Parameters>
  std::optional<Value> answer(const char* name, Parameters... parameters) const {
    Value value{};
    if (call(name, parameters..., &value) != status_success) return std::nullopt;
    return value;
  }

  static std::optional<PciAddress> address_from(const std::optional<PciInfo>& info);
  std::string text(const char* name, Device device) const;
  NvmlGpu ask_gpu(Device device) const;
  std::vector<NvlinkFacts> ask_nvlinks(Device device) const;
  std::optional<Locality> ask_locality(Device from, Device to) const;

  void* library_;
};

std::optional<PciAddress> Calls::address_from(const std::optional<PciInfo>& info) {
  if (!info) return std::nullopt;
  return PciAddress{info->domain, static_cast<std::uint8_t>(info->bus), static_cast<std::uint8_t>(info->device), 0};
}

std::string Calls::text(const char* name, Device device) const {
  char buffer[128] = "";
  if (call(name, device, static_cast<char*>(buffer), static_cast<unsigned>(sizeof(buffer))) != status_success)
    return "";
  buffer[sizeof(buffer) - 1] = '\0';
  return buffer;
}

std::vector<NvlinkFacts> Calls::ask_nvlinks(Device device) const {
  std::vector<NvlinkFacts> links;
  for (unsigned number = 0; number < nvlinks_max; ++number) {
    if (answer<unsigned>("nvmlDeviceGetNvLinkState", device, number).value_or(0) != 1) continue;
    NvlinkFacts link;
    link.version = answer<unsigned>("nvmlDeviceGetNvLinkVersion", device, number);
    link.peer_pci = address_from(answer<PciInfo>("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, number));
    const auto peer = answer<unsigned>("nvmlDeviceGetNvLinkRemoteDeviceType", device, number);
    if (peer == peer_gpu) link.peer = NvlinkPeer::gpu;
    if (peer == peer_switch) link.peer = NvlinkPeer::switch_;
    links.push_back(link);
  }
  return links;
}

NvmlGpu Calls::ask_gpu(Device device) const {
  NvmlGpu gpu;
  gpu.name = text("nvmlDeviceGetName", device);
  const std::string uuid = text("nvmlDeviceGetUUID", device);
  if (!uuid.empty()) gpu.uuid = uuid;
  gpu.pci = address_from(answer<PciInfo>("nvmlDeviceGetPciInfo_v3", device));
  if (const auto memory = answer<Memory>("nvmlDeviceGetMemoryInfo", device)) gpu.memory_bytes = memory->total;
  int major = 0;
  int minor = 0;
  if (call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor) == status_success && major > 0 && minor >= 0) {
    gpu.capability_major = static_cast<std::uint32_t>(major);
    gpu.capability_minor = static_cast<std::uint32_t>(minor);
  }
  gpu.cores = answer<unsigned>("nvmlDeviceGetNumGpuCores", device);
  unsigned current = 0;
  unsigned pending = 0;
  gpu.is_partitioned = call("nvmlDeviceGetMigMode", device, &current, &pending) == status_success && current == 1;
  gpu.nvlinks = ask_nvlinks(device);
  return gpu;
}

std::optional<Locality> Calls::ask_locality(Device from, Device to) const {
  const auto level = answer<unsigned>("nvmlDeviceGetTopologyCommonAncestor", from, to);
  if (!level) return std::nullopt;
  // Levels are tens: 0 one board, 10 one switch, 20 several switches, 30 a host bridge, 40 a NUMA node, 50 the system.
  if (*level <= 20) return Locality::switch_;
  if (*level <= 30) return Locality::bridge;
  return *level <= 40 ? Locality::node : Locality::system;
}

NvmlFacts Calls::ask() const {
  NvmlFacts facts;
  if (const Status status = call("nvmlInit_v2"); status != status_success) {
    facts.failure = fmt::format("refused to start with status {}", status);
    return facts;
  }
  std::vector<Device> devices;
  const unsigned count = answer<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    const auto device = answer<Device>("nvmlDeviceGetHandleByIndex_v2", index);
    // A GPU that the process may not open, or that fell off the bus, is left out.
    if (!device) continue;
    devices.push_back(*device);
    facts.gpus.push_back(ask_gpu(*device));
  }
  for (const Device from : devices) {
    for (const Device to : devices) facts.localities.push_back(from == to ? std::nullopt : ask_locality(from, to));
  }
  call("nvmlShutdown");
  return facts;
}

}  // namespace

std::optional<NvmlFacts> ask_nvml(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  // The handle stays open: the driver's library starts threads and does not bear being unloaded.
  return Calls(handle).ask();
}

}  // namespace skua
