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
  static_cast<void>(hipGetLastError());
  return gpu;
}

/// The place in the Topology: by address and, where several partitions share one, by their order.
void join(std::vector<RuntimeGpu>& gpus, const Topology& topology) {
  std::vector<bool> used(topology.gpus.size());
  for (RuntimeGpu& gpu : gpus) {
    for (std::uint32_t i = 0; i < topology.gpus.size() && gpu.pci && !gpu.id; ++i) {
      if (used[i] || topology.gpus[i].hidden_by || topology.gpus[i].pci != gpu.pci) continue;
      gpu.id = GpuId{i};
      used[i] = true;
    }
  }
}

}  // namespace

std::vector<RuntimeGpu> list_gpus(const Topology& topology) {
  const int count = count_gpus();
  if (count == 0) throw GpuError("the GPU runtime sees no GPU");
  std::vector<RuntimeGpu> gpus;
  for (int ordinal = 0; ordinal < count; ++ordinal) gpus.push_back(look_at(ordinal));
  join(gpus, topology);
  return gpus;
}

}  // namespace skua
