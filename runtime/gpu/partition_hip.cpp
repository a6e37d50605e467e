// Cutting one of AMD's GPUs, by green contexts or else by masks.
#include <numeric>
#include <string>

#include <skua/input.hpp>

#include "amd_parts.hpp"
#include "green_contexts.hpp"
#include "partition.hpp"

namespace skua {
namespace {

/// With the first, HIP masks what skua asks for once more, and uses all of that mask where nothing is left: parts would
/// overlap, and nobody would say so. With the second it makes no stream, and says that memory is short.
void refuse_masks_of_the_process() {
  for (const char* const variable : {"ROC_GLOBAL_CU_MASK", "HSA_CU_MASK"}) {
    if (environment_variable(variable)) {
      throw GpuError(std::string(variable) + " is set, and the parts would not be those that are asked for");
    }
  }
}

CutGpu cut_by_masks(std::uint32_t compute_units, const std::vector<std::uint32_t>& parts) {
  CutGpu cut;
  cut.is_blocking = true;
  std::uint32_t first = 0;
  for (const std::uint32_t units : parts) {
    cut.parts.push_back([mask = compute_unit_mask(first, units, compute_units)] {
      hipStream_t stream = nullptr;
      require("hipExtStreamCreateWithCUMask",
              hipExtStreamCreateWithCUMask(&stream, static_cast<std::uint32_t>(mask.size()), mask.data()));
      return stream;
    });
    first += units;
  }
  return cut;
}

}  // namespace

GpuGrain gpu_grain(int ordinal, const RuntimeGpu& gpu) {
  refuse_masks_of_the_process();
  GpuGrain grain = amd_grain(gpu);
  if (const auto alignment = green_context_alignment(ordinal, gpu.compute_units)) {
    grain.quantum = std::lcm(grain.quantum, *alignment);
    grain.available = gpu.compute_units / grain.quantum * grain.quantum;
  }
  return grain;
}

CutGpu cut_gpu(int ordinal, const RuntimeGpu& gpu, const std::vector<std::uint32_t>& parts) {
  if (green_context_alignment(ordinal, gpu.compute_units)) {
    try {
      return {green_contexts(ordinal, gpu.compute_units, gpu_grain(ordinal, gpu).quantum, parts), false};
    } catch (const GpuError&) {
      // They are new in HIP. Masks cut in the same way.
    }
  }
  return cut_by_masks(gpu.compute_units, parts);
}

}  // namespace skua
