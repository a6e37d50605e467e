// Parts of one GPU that do not disturb one another: green contexts on NVIDIA and, where HIP has them, on AMD; or else
// compute-unit masks.
#pragma once

#include <functional>
#include <vector>

#include "call.hpp"
#include "list.hpp"
#include "parts.hpp"

namespace skua {

/// Makes a stream on one part of a GPU, or on the whole. It keeps alive what its streams need; destroy those first.
/// The GPU must be the calling thread's current one.
/// Fails: GpuError.
using MakeGpuStream = std::function<hipStream_t()>;

struct CutGpu {
  std::vector<MakeGpuStream> parts;
  bool is_blocking = false;  ///< their streams and the legacy default stream wait for one another
};

/// How this GPU can be cut. On a thread of skua's own, as cut_gpu(): the GPU becomes the current one.
/// Fails: GpuError when it cannot be cut at all.
GpuGrain gpu_grain(int ordinal, const RuntimeGpu& gpu);

/// Cuts a GPU into parts of these sizes, which gpu_grain() allows.
/// Fails: GpuError.
CutGpu cut_gpu(int ordinal, const RuntimeGpu& gpu, const std::vector<std::uint32_t>& parts);

/// For a GPU that is not cut.
MakeGpuStream whole_gpu();

}  // namespace skua
