// Errors, the current GPU, and captures of streams.
#include "call.hpp"

#include <string_view>

namespace skua {

std::string cuda_name(const std::string& hip_name) {
  constexpr std::string_view prefix = "hip";
  if (hip_name == "hipHostMalloc") return "cudaHostAlloc";
  if (hip_name == "hipHostFree") return "cudaFreeHost";
  return hip_name.starts_with(prefix) ? "cuda" + hip_name.substr(prefix.size()) : hip_name;
}

std::string describe(const char* call, hipError_t error) {
#if defined(SKUA_GPU_CUDA)
  const std::string name = cuda_name(call);
#else
  const std::string name = call;
#endif
  return name + ": " + hipGetErrorString(error) + " (" + hipGetErrorName(error) + ")";
}

void require(const char* call, hipError_t error) {
  if (error == hipSuccess) return;
  static_cast<void>(hipGetLastError());
  throw GpuError(describe(call, error));
}

void use_gpu(int ordinal) {
  require("hipSetDevice", hipSetDevice(ordinal));
}

void ignore_captures() noexcept {
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  if (hipThreadExchangeStreamCaptureMode(&mode) != hipSuccess) static_cast<void>(hipGetLastError());
}

bool is_refused_by_capture(hipError_t error) noexcept {
  // The errors of captures stand together in both runtimes.
  return error >= hipErrorStreamCaptureUnsupported && error <= hipErrorStreamCaptureWrongThread;
}

}  // namespace skua
