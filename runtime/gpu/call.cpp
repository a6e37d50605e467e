// Errors, the current GPU, and captures of streams.
#include "call.hpp"

namespace skua {

std::string describe(const char* call, hipError_t error) {
  return std::string(call) + ": " + hipGetErrorString(error) + " (" + hipGetErrorName(error) + ")";
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
