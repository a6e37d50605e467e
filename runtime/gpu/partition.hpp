// Parts of one GPU that do not disturb one another: compute-unit masks on AMD, green contexts on NVIDIA.
#pragma once

#include <functional>
#include <vector>

#include "call.hpp"
#include "parts.hpp"

namespace skua {

/// Makes a stream on one part of a GPU, or on the whole. It keeps alive what its streams need; destroy those first.
/// The GPU must be the calling thread's current one.
/// Fails: GpuError.
using MakeGpuStream = std::function<hipStream_t()>;

/// How this GPU can be cut. `compute_units` are all that it has.
/// On a thread of skua's own, as cut_gpu(): the GPU becomes the current one.
/// Fails: GpuError when it cannot be cut at all.
GpuGrain gpu_grain(int ordinal, std::uint32_t compute_units);

/// Cuts a GPU into parts of these sizes, which gpu_grain() allows.
/// Fails: GpuError.
std::vector<MakeGpuStream> cut_gpu(int ordinal, std::uint32_t compute_units, const std::vector<std::uint32_t>& parts);

/// For a GPU that is not cut.
MakeGpuStream whole_gpu();

}  // namespace skua
