// The driver's own functions on NVIDIA, which know no last error and make no contexts; HIP's, and what they change put
// back, on AMD, where to turn to a GPU makes nothing on it.
#include "quiet_calls.hpp"

#if defined(SKUA_GPU_CUDA)
#include "driver.hpp"
#endif
#include "own_thread.hpp"

namespace skua {

#if defined(SKUA_GPU_CUDA)
namespace {

// Both count their errors in the same way.
hipError_t as_hip(CUresult result) noexcept {
  return static_cast<hipError_t>(result);
}

#define SKUA_MEMBER(name) decltype(&::name) name = driver_function<decltype(&::name)>(#name)

struct Driver {
  SKUA_MEMBER(cuCtxGetCurrent);
  SKUA_MEMBER(cuCtxPopCurrent);
  SKUA_MEMBER(cuCtxPushCurrent);
  SKUA_MEMBER(cuDeviceGet);
  SKUA_MEMBER(cuDevicePrimaryCtxGetState);
  SKUA_MEMBER(cuDevicePrimaryCtxRelease);
  SKUA_MEMBER(cuDevicePrimaryCtxRetain);
  SKUA_MEMBER(cuEventCreate);
  SKUA_MEMBER(cuEventDestroy);
  SKUA_MEMBER(cuEventQuery);
  SKUA_MEMBER(cuEventRecord);
  SKUA_MEMBER(cuStreamGetCtx);
  SKUA_MEMBER(cuStreamIsCapturing);
  SKUA_MEMBER(cuStreamQuery);
  SKUA_MEMBER(cuThreadExchangeStreamCaptureMode);
};

#undef SKUA_MEMBER

/// Fails: GpuError.
const Driver& driver() {
  static const Driver* const one = new Driver;
  return *one;
}

/// Null where the process has none.
CUcontext primary_context(int ordinal) {
  CUdevice device = 0;
  unsigned flags = 0;
  int is_active = 0;
  CUcontext context = nullptr;
  if (driver().cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) return nullptr;
  if (driver().cuDevicePrimaryCtxGetState(device, &flags, &is_active) != CUDA_SUCCESS || is_active == 0) return nullptr;
  if (driver().cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS) return nullptr;
  // Whoever made it holds it.
  static_cast<void>(driver().cuDevicePrimaryCtxRelease(device));
  return context;
}

CUstreamCaptureMode exchange_mode(CUstreamCaptureMode mode) {
  static_cast<void>(driver().cuThreadExchangeStreamCaptureMode(&mode));
  return mode;
}

}  // namespace

void QuietCalls::prepare() {
  static_cast<void>(driver());
}

hipStream_t QuietCalls::legacy_stream() noexcept {
  return cudaStreamLegacy;
}

QuietCalls::QuietCalls() {
  mode_ = static_cast<hipStreamCaptureMode>(exchange_mode(CU_STREAM_CAPTURE_MODE_RELAXED));
}

QuietCalls::~QuietCalls() {
  for (CUcontext popped = nullptr; contexts_pushed_ > 0; --contexts_pushed_) {
    static_cast<void>(driver().cuCtxPopCurrent(&popped));
  }
  static_cast<void>(exchange_mode(static_cast<CUstreamCaptureMode>(mode_)));
}

bool QuietCalls::push(void* context) {
  if (context == nullptr || driver().cuCtxPushCurrent(static_cast<CUcontext>(context)) != CUDA_SUCCESS) return false;
  ++contexts_pushed_;
  return true;
}

bool QuietCalls::turn_to(int ordinal) {
  return push(primary_context(ordinal));
}

hipError_t QuietCalls::turn_to(hipStream_t stream) {
  CUcontext context = nullptr;
  const CUresult result = driver().cuStreamGetCtx(stream, &context);
  if (result == CUDA_SUCCESS) static_cast<void>(push(context));
  return as_hip(result);
}

hipError_t QuietCalls::is_capturing(hipStream_t stream, bool& capturing) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver().cuStreamIsCapturing(stream, &status);
  capturing = status != CU_STREAM_CAPTURE_STATUS_NONE;
  return as_hip(result);
}

hipError_t QuietCalls::query(hipStream_t stream) {
  return as_hip(driver().cuStreamQuery(stream));
}

hipError_t QuietCalls::query(hipEvent_t event) {
  return as_hip(driver().cuEventQuery(event));
}

hipError_t QuietCalls::record(hipStream_t stream, GpuMark& mark) {
  CUcontext context = nullptr;
  CUresult result = driver().cuCtxGetCurrent(&context);
  if (result == CUDA_SUCCESS) result = driver().cuEventCreate(&mark.event, CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS) return as_hip(result);
  mark.context = context;
  result = driver().cuEventRecord(mark.event, stream);
  if (result != CUDA_SUCCESS) destroy(mark);
  return as_hip(result);
}

void QuietCalls::destroy(const GpuMark& mark) {
  static_cast<void>(push(mark.context));
  static_cast<void>(driver().cuEventDestroy(mark.event));
}

void call_quietly(const std::function<void(QuietCalls&)>& work) {
  static_cast<void>(driver());
  on_callers_thread([&] {
    QuietCalls calls;
    work(calls);
  });
}

#else

void QuietCalls::prepare() {}

hipStream_t QuietCalls::legacy_stream() noexcept {
  return nullptr;
}

QuietCalls::QuietCalls() {
  static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode_));
}

QuietCalls::~QuietCalls() {
  if (home_) static_cast<void>(hipSetDevice(*home_));
  static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode_));
  static_cast<void>(hipGetLastError());
}

bool QuietCalls::turn_to(int ordinal) {
  int current = 0;
  if (hipGetDevice(&current) != hipSuccess) return false;
  if (current == ordinal) return true;
  if (!home_) home_ = current;
  return hipSetDevice(ordinal) == hipSuccess;
}

hipError_t QuietCalls::is_capturing(hipStream_t stream, bool& capturing) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  const hipError_t state = hipStreamIsCapturing(stream, &status);
  capturing = status != hipStreamCaptureStatusNone;
  return state;
}

hipError_t QuietCalls::query(hipStream_t stream) {
  return hipStreamQuery(stream);
}

hipError_t QuietCalls::query(hipEvent_t event) {
  return hipEventQuery(event);
}

hipError_t QuietCalls::turn_to(hipStream_t) {
  return hipSuccess;
}

hipError_t QuietCalls::record_here(hipStream_t stream, GpuMark& mark) {
  hipError_t state = hipEventCreateWithFlags(&mark.event, hipEventDisableTiming);
  if (state != hipSuccess) return state;
  state = hipEventRecord(mark.event, stream);
  if (state != hipSuccess) destroy(mark);
  return state;
}

/// Not every version of HIP tells which GPU a stream is on.
hipError_t QuietCalls::record(hipStream_t stream, GpuMark& mark) {
  const hipError_t here = record_here(stream, mark);
  int count = 0;
  if (here == hipSuccess || hipGetDeviceCount(&count) != hipSuccess) return here;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    if (turn_to(ordinal) && record_here(stream, mark) == hipSuccess) return hipSuccess;
  }
  return here;
}

void QuietCalls::destroy(const GpuMark& mark) {
  static_cast<void>(hipEventDestroy(mark.event));
}

void call_quietly(const std::function<void(QuietCalls&)>& work) {
  const auto call = [&] {
    QuietCalls calls;
    work(calls);
  };
  hipPeekAtLastError() == hipSuccess ? on_callers_thread(call) : on_own_thread(call);
}

#endif

}  // namespace skua
