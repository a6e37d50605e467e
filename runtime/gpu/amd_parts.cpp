// How the compute units of an AMD GPU are dealt to its parts.
#include "amd_parts.hpp"

#include <algorithm>
#include <optional>

namespace skua {
namespace {

/// Rather parts of uneven shader engines than fewer parts than this.
constexpr std::uint32_t parts_min = 4;
constexpr std::uint32_t xcds_of_mi300_max = 8;
constexpr std::uint32_t engines_of_mi300_xcd = 4;

/// The series with several XCDs, of the ends that names of architectures have.
bool is_mi300(const RuntimeGpu& gpu) {
  return gpu.arch.starts_with("gfx94") || gpu.arch.starts_with("gfx95");
}

/// Where they are not known, as many as there may be: their multiple is a multiple for fewer, or meets all of them.
std::uint32_t xcds_of(const RuntimeGpu& gpu) {
  return std::max(gpu.xcds.value_or(is_mi300(gpu) ? xcds_of_mi300_max : 1), 1u);
}

/// Of all XCDs together. Returns nullopt when it is not known.
std::optional<std::uint32_t> shader_engines_of(const RuntimeGpu& gpu) {
  if (gpu.shader_engines) return gpu.shader_engines;
  if (is_mi300(gpu)) return xcds_of(gpu) * engines_of_mi300_xcd;
  if (gpu.arch == "gfx908" || gpu.arch == "gfx90a") return 8;
  if (gpu.arch == "gfx900" || gpu.arch == "gfx906") return 4;
  return std::nullopt;
}

}  // namespace

GpuGrain amd_grain(const RuntimeGpu& gpu) {
  GpuGrain grain;
  grain.quantum = xcds_of(gpu);
  const std::uint32_t engines = shader_engines_of(gpu).value_or(0);
  if (engines > 0 && engines % grain.quantum == 0 && gpu.compute_units / engines >= parts_min) grain.quantum = engines;
  grain.quantum = std::min(grain.quantum, gpu.compute_units);
  grain.available = gpu.compute_units / grain.quantum * grain.quantum;
  grain.hardware_queues = gpu.hardware_queues;
  return grain;
}

std::vector<std::uint32_t> compute_unit_mask(std::uint32_t first, std::uint32_t count, std::uint32_t compute_units) {
  std::vector<std::uint32_t> mask((compute_units + 31) / 32);
  for (std::uint32_t bit = first; bit < first + count; ++bit) mask[bit / 32] |= std::uint32_t{1} << (bit % 32);
  return mask;
}

}  // namespace skua
