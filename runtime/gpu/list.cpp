// Listing GPUs and finding them in the Topology.
#include "list.hpp"

#include "call.hpp"

namespace skua {
namespace {

int count_gpus() {
  int count = 0;
  const hipError_t error = hipGetDeviceCount(&count);
  if (error == hipSuccess) return count;
  static_cast<void>(hipGetLastError());
  if (error == hipErrorNoDevice) return 0;
  const std::string what = describe("hipGetDeviceCount", error);
  // CUDA says the same where there is no driver at all.
  if (error != hipErrorInsufficientDriver) throw GpuError(what);
  throw GpuError("this machine has no driver for its GPUs, or one that is older than the GPU runtime (" + what + ")");
}

#if defined(SKUA_GPU_HIP)
/// Of "gfx90a:sramecc+:xnack-" what stands before the first colon.
std::string arch_of(int ordinal) {
  hipDeviceProp_t properties{};
  if (hipGetDeviceProperties(&properties, ordinal) != hipSuccess) return "";
  const std::string name = properties.gcnArchName;
  return name.substr(0, name.find(':'));
}

/// HIP tells it from version 7 on, by a number for which older headers have no name.
std::optional<std::uint32_t> xcds_of(int ordinal) {
  constexpr int tells_since = 70'000'000;
  constexpr auto number_of_xccs = static_cast<hipDeviceAttribute_t>(10018);
  int version = 0;
  int xcds = 0;
  if (hipRuntimeGetVersion(&version) != hipSuccess || version < tells_since) return std::nullopt;
  if (hipDeviceGetAttribute(&xcds, number_of_xccs, ordinal) != hipSuccess || xcds <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(xcds);
}
#endif

RuntimeGpu look_at(int ordinal) {
  RuntimeGpu gpu;
  int units = 0;
  require("hipDeviceGetAttribute", hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, ordinal));
  if (units <= 0) throw GpuError("hipDeviceGetAttribute: it has no compute units");
  gpu.compute_units = static_cast<std::uint32_t>(units);
  int clock_khz = 0;
  if (hipDeviceGetAttribute(&clock_khz, hipDeviceAttributeClockRate, ordinal) == hipSuccess && clock_khz > 0) {
    gpu.clock_ghz = static_cast<double>(clock_khz) * 1e-6;
  }
  char address[64] = {};
  if (hipDeviceGetPCIBusId(address, sizeof(address) - 1, ordinal) == hipSuccess) {
    gpu.pci = PciAddress::from_text(address);
  }
#if defined(SKUA_GPU_HIP)
  gpu.arch = arch_of(ordinal);
  gpu.xcds = xcds_of(ordinal);
#endif
  static_cast<void>(hipGetLastError());
  return gpu;
}

}  // namespace

void find_in_topology(std::vector<RuntimeGpu>& gpus, const Topology& topology) {
  std::vector<bool> used(topology.gpus.size());
  const auto join_where = [&](auto fits) {
    for (RuntimeGpu& gpu : gpus) {
      for (std::uint32_t i = 0; i < topology.gpus.size() && gpu.pci && !gpu.id; ++i) {
        if (used[i] || topology.gpus[i].hidden_by || !fits(*gpu.pci, topology.gpus[i])) continue;
        gpu.id = GpuId{i};
        used[i] = true;
      }
    }
  };
  join_where([](const PciAddress& pci, const Gpu& known) { return known.pci == pci && !known.partition; });
  join_where([](const PciAddress& pci, const Gpu& known) {
    PciAddress device = pci;
    device.function = 0;
    return known.pci == device && known.partition == pci.function;
  });
  join_where([](const PciAddress& pci, const Gpu& known) { return known.pci == pci; });
}

std::vector<RuntimeGpu> list_gpus(const Topology& topology) {
  const int count = count_gpus();
  if (count == 0) throw GpuError("the GPU runtime sees no GPU");
  std::vector<RuntimeGpu> gpus;
  for (int ordinal = 0; ordinal < count; ++ordinal) gpus.push_back(look_at(ordinal));
  find_in_topology(gpus, topology);
  for (RuntimeGpu& gpu : gpus) {
    if (!gpu.id) continue;
    const Gpu& known = topology.gpus[gpu.id->index];
    if (!gpu.xcds) gpu.xcds = known.xcds;
    gpu.shader_engines = known.shader_engines;
    gpu.hardware_queues = known.hardware_queues;
  }
  return gpus;
}

}  // namespace skua
