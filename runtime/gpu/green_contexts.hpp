// Parts of an AMD GPU as green contexts, whose streams wait for no other, where HIP has them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partition.hpp"

namespace skua {

/// Groups of so many of the runtime's compute units can be made contexts of. Returns nullopt where the HIP that skua
/// was built with has no green contexts, or the one that it runs with, or this GPU.
std::optional<std::uint32_t> green_context_alignment(int ordinal, std::uint32_t compute_units);

/// Where green_context_alignment() returns something that `quantum` is a multiple of: consecutive parts of these sizes,
/// multiples of `quantum`. The contexts are kept to the end of the process, for whoever cuts the GPU in the same way.
/// Fails: GpuError.
std::vector<MakeGpuStream> green_contexts(int ordinal, std::uint32_t compute_units, std::uint32_t quantum,
                                          const std::vector<std::uint32_t>& parts);

}  // namespace skua
