// Copies between GPUs and the host, timed, and checked before they are believed. Each has a deadline: a link that hangs
// holds nobody up.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "call.hpp"

namespace skua {

/// Memory of one GPU, or of the host where GPUs reach it.
struct CopyBuffer {
  std::optional<int> ordinal;  ///< nullopt: the host
  std::shared_ptr<void> memory;
  std::size_t bytes = 0;
};

/// A kernel was not compiled for the GPU that was to run it.
class NoGpuCode : public GpuError {
 public:
  using GpuError::GpuError;
};

/// Fails: GpuError.
CopyBuffer make_copy_buffer(std::optional<int> ordinal, std::size_t bytes);

/// What moves the bytes.
enum class CopyWay {
  engine,  ///< the runtime's own copies: by an engine beside the compute units, or by way of the host
  kernel,  ///< loads and stores of a kernel, as bodies reach memory that is not their GPU's
};

/// The GPU whose kernel can make this copy: the one that is given the data, which then reads, as a body does that runs
/// far from its data; or else the one that has them, which writes. On a thread of skua's own: what it has to reach is
/// enabled.
/// Returns nullopt when neither reaches the other's memory.
std::optional<int> copying_gpu(const CopyBuffer& from, const CopyBuffer& to);

/// How long `times` copies of `bytes` took together, one behind the other, by the GPU's clock. By a kernel only where
/// there is a copying_gpu().
/// On a thread of skua's own: one end's GPU becomes the current one.
/// Fails: GpuError, also when they did not end in 2 s; NoGpuCode where skua's library has no kernel for that GPU.
double copy_seconds(const CopyBuffer& from, const CopyBuffer& to, std::size_t bytes, int times,
                    CopyWay way = CopyWay::engine);

/// Copies a pattern and looks at what arrived: some machines say that GPUs reach one another and lose the data.
/// Returns why the copy cannot be trusted, and nullopt when it can.
/// Fails: NoGpuCode, as copy_seconds().
std::optional<std::string> check_copy(const CopyBuffer& from, const CopyBuffer& to, CopyWay way = CopyWay::engine);

/// Whether a copy of this process did not end in time. Its memory and stream are left alone for good.
bool has_abandoned_copy() noexcept;

}  // namespace skua
