// Calls into the GPU runtime: errors with the name of the call, and how a thread of skua's own is set up for them.
#pragma once

#include <stdexcept>
#include <string>

#include <skua/detail/hip_names.hpp>

namespace skua {

using namespace gpu_api;

/// A call into the GPU runtime failed; the message names the call and the runtime's error.
class GpuError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "cudaHostAlloc" for "hipHostMalloc": what CUDA's runtime calls one of HIP's functions.
std::string cuda_name(const std::string& hip_name);

/// "hipEventRecord: invalid resource handle (hipErrorInvalidHandle)", in the names of the runtime that was asked.
std::string describe(const char* call, hipError_t error);

/// Clears the runtime's last error when `error` is one; it would otherwise be found by whoever looks next.
/// Fails: GpuError, when `error` is one.
void require(const char* call, hipError_t error);

/// Makes a GPU the calling thread's current one, for good: for threads of skua's own. To give a caller its GPU back
/// afterwards would make a context on it, whether or not it had one.
/// Fails: GpuError.
void use_gpu(int ordinal);

/// From now on the calling thread's calls neither fail nor do harm while somebody in the process captures a stream. For
/// threads of skua's own. Where there is no GPU it does nothing.
void ignore_captures() noexcept;

/// Whether a call was refused only because somebody captures a stream: it will pass later.
bool is_refused_by_capture(hipError_t error) noexcept;

}  // namespace skua
