// Streams as moments at which all that lies on them will be done; events as such moments, once recorded.
#include "hip_stub.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace hip_stub {
namespace {

using Clock = std::chrono::steady_clock;
using Moment = Clock::time_point;
// A HIP runtime takes itself down while the process ends; a call after that is a crash.
bool torn_down = false;

struct TearDown {
  TearDown() {
    std::atexit([] { torn_down = true; });
  }
} tear_down;

/// What the runtime has given out, with the sizes of page-locked blocks that were made since the last reset(). A device
/// that is given up leaves what it had to the runtime, which knows of it.
std::map<void*, std::size_t>& given_out() {
  static auto* const all = new std::map<void*, std::size_t>;
  return *all;
}

State current;
std::mutex lock;
thread_local int current_device = 0;
thread_local hipError_t last_error = hipSuccess;
thread_local hipStreamCaptureMode capture_mode = hipStreamCaptureModeGlobal;

hipError_t result(hipError_t error) {
  if (torn_down) {
    std::fputs("hip_stub: a call after the runtime's end\n", stderr);
    _exit(99);
  }
  if (current.context_lost && error == hipSuccess) error = hipErrorIllegalAddress;
  if (error != hipSuccess || current.success_clears_error) last_error = error;
  return error;
}

/// Of calls that a runtime refuses while somebody captures a stream, unless the thread has said that it may; a call
/// that is refused spoils the capture.
hipError_t unsafe_result(hipError_t error) {
  if (!current.is_capturing || capture_mode == hipStreamCaptureModeRelaxed) return result(error);
  current.is_capture_spoilt = true;
  return result(hipErrorStreamCaptureUnsupported);
}

hipError_t allocate(void** memory, std::size_t bytes) {
  const std::lock_guard hold(lock);
  if (const hipError_t error = unsafe_result(current.allocate); error != hipSuccess) return error;
  current.contexts.insert(current_device);
  *memory = std::malloc(bytes);
  given_out()[*memory] = 0;
  return hipSuccess;
}

}  // namespace

State& state() {
  return current;
}
std::mutex& mutex() {
  return lock;
}

}  // namespace hip_stub

using hip_stub::Clock;
using hip_stub::current;
using hip_stub::current_device;
using hip_stub::result;
using hip_stub::unsafe_result;

/// blocking: the legacy stream of its device waits for it, and it for that.
struct ihipStream_t {
  int device;
  bool is_blocking = false;
  hip_stub::Moment done = hip_stub::Clock::now();
  bool is_held = false;
  std::vector<hipStream_t> behind{};  ///< held streams, for what lay on which it waits

  hip_stub::Moment end() const {
    const bool waits = std::any_of(behind.begin(), behind.end(), [](hipStream_t other) { return other->is_held; });
    return is_held || waits ? hip_stub::Moment::max() : done;
  }
  bool is_done() const { return hip_stub::Clock::now() >= end(); }
};
struct ihipEvent_t {
  int device;
  std::optional<hip_stub::Moment> done;
  hipStream_t held = nullptr;  ///< recorded behind work that ends when the test says so
};

namespace hip_stub {
namespace {

struct Streams {
  std::map<int, ihipStream_t> legacy;
  std::map<std::pair<std::thread::id, int>, ihipStream_t> of_threads;
  std::set<hipStream_t> blocking;
};

Streams& streams() {
  static auto* const all = new Streams;
  return *all;
}

hipStream_t legacy_of(int device) {
  return &streams().legacy.try_emplace(device, ihipStream_t{device}).first->second;
}

bool is_legacy(hipStream_t stream) {
  return stream == legacy_of(stream->device);
}

/// The stream that a handle stands for here and now.
hipStream_t find(hipStream_t handle) {
  if (handle != nullptr && handle != hipStreamPerThread) return handle;
  current.contexts.insert(current_device);
  if (handle == nullptr) return legacy_of(current_device);
  const std::pair key{std::this_thread::get_id(), current_device};
  const hipStream_t stream = &streams().of_threads.try_emplace(key, ihipStream_t{current_device, true}).first->second;
  streams().blocking.insert(stream);
  return stream;
}

/// When all is done that lies before whatever is put there next.
Moment end_of(hipStream_t stream) {
  Moment end = stream->end();
  if (stream->is_blocking) end = std::max(end, legacy_of(stream->device)->end());
  if (!is_legacy(stream)) return end;
  for (const hipStream_t other : streams().blocking) {
    if (other->device == stream->device) end = std::max(end, other->end());
  }
  return end;
}

/// Of calls that make use of a stream: what is captured must not be asked, nor the legacy stream with it.
hipError_t capture_result(hipStream_t stream) {
  const bool spoils = current.captured.contains(stream) || (current.is_blocking_captured && is_legacy(stream));
  if (!spoils) return hipSuccess;
  current.is_capture_spoilt = true;
  return current.captured.contains(stream) ? hipErrorStreamCaptureUnsupported : hipErrorStreamCaptureImplicit;
}

}  // namespace

State& reset() {
  const std::lock_guard hold(lock);
  current = State{};
  streams() = {};
  for (auto& [memory, bytes] : given_out()) bytes = 0;
  current_device = 0;
  last_error = hipSuccess;
  capture_mode = hipStreamCaptureModeGlobal;
  return current;
}

void enqueue(hipStream_t handle, std::chrono::nanoseconds duration, std::function<void()> work) {
  const std::lock_guard hold(lock);
  const hipStream_t stream = find(handle);
  current.launched.emplace(stream->device, current_device);
  const Moment begin = std::max(end_of(stream), Clock::now());
  const bool never = current.dead.contains(stream->device) || begin == Moment::max();
  // What a test holds is done when it is released.
  if (!stream->is_held && stream->behind.empty()) stream->done = never ? Moment::max() : begin + duration;
  if (!current.dead.contains(stream->device)) work();
}

std::chrono::steady_clock::time_point begin_of_next(hipStream_t handle) {
  const std::lock_guard hold(lock);
  return end_of(find(handle));
}

void hold(hipStream_t stream) {
  const std::lock_guard guard(lock);
  stream->is_held = true;
}
void release(hipStream_t stream) {
  const std::lock_guard guard(lock);
  stream->is_held = false;
}

}  // namespace hip_stub

extern "C" {

hipError_t hipGetDeviceCount(int* count) {
  *count = current.devices;
  if (current.count != hipSuccess) return result(current.count);
  return result(current.devices > 0 ? hipSuccess : hipErrorNoDevice);
}
hipError_t hipGetDevice(int* device) {
  *device = current_device;
  return result(hipSuccess);
}
hipError_t hipSetDevice(int device) {
  if (device < 0 || device >= current.devices) return result(hipErrorInvalidDevice);
  current_device = device;
  const std::lock_guard hold(hip_stub::lock);
  if (current.turning_makes_context) current.contexts.insert(device);
  return result(hipSuccess);
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  std::swap(*mode, hip_stub::capture_mode);
  return result(hipSuccess);
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int) {
  *value = 0;
  if (attribute == hipDeviceAttributeMultiprocessorCount) *value = current.compute_units;
  if (attribute == hipDeviceAttributeMaxThreadsPerMultiProcessor) *value = 2048;
  if (attribute == hipDeviceAttributeClockRate) *value = 1'700'000;
  return result(hipSuccess);
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int) {
  *properties = hipDeviceProp_t{};
  std::strncpy(properties->gcnArchName, current.arch.c_str(), sizeof(properties->gcnArchName) - 1);
  return result(hipSuccess);
}
hipError_t hipDeviceGetPCIBusId(char* address, int length, int device) {
  std::snprintf(address, static_cast<std::size_t>(length), "0000:%02x:00.0", 0xc1 + device);
  return result(hipSuccess);
}
hipError_t hipGetLastError() {
  return std::exchange(hip_stub::last_error, hipSuccess);
}
hipError_t hipPeekAtLastError() {
  return hip_stub::last_error;
}
const char* hipGetErrorName(hipError_t) {
  return "hipErrorOfTheStub";
}
const char* hipGetErrorString(hipError_t) {
  return "an error of the stub";
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  if (flags != hipStreamNonBlocking) return result(hipErrorInvalidValue);
  const std::lock_guard hold(hip_stub::lock);
  ++current.streams_alive;
  *stream = new ihipStream_t{current_device};
  hip_stub::given_out()[*stream] = 0;
  return result(hipSuccess);
}
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, std::uint32_t words, const std::uint32_t* mask) {
  current.last_mask.assign(mask, mask + words);
  static_cast<void>(hipStreamCreateWithFlags(stream, hipStreamNonBlocking));
  const std::lock_guard hold(hip_stub::lock);
  (*stream)->is_blocking = hip_stub::streams().blocking.insert(*stream).second;
  return result(hipSuccess);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  const std::lock_guard hold(hip_stub::lock);
  hip_stub::streams().blocking.erase(stream);
  --current.streams_alive;
  hip_stub::given_out().erase(stream);
  delete stream;
  return result(hipSuccess);
}
hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus* status) {
  const std::lock_guard hold(hip_stub::lock);
  const hipStream_t stream = hip_stub::find(handle);
  const bool is_captured = current.captured.contains(stream);
  *status = is_captured ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  const bool is_implicit = current.is_blocking_captured && hip_stub::is_legacy(stream);
  return result(is_implicit ? hipErrorStreamCaptureImplicit : hipSuccess);
}
hipError_t hipStreamQuery(hipStream_t handle) {
  const std::lock_guard hold(hip_stub::lock);
  const hipStream_t stream = hip_stub::find(handle);
  ++current.streams_asked;
  if (const hipError_t error = hip_stub::capture_result(stream); error != hipSuccess) return result(error);
  return unsafe_result(Clock::now() >= hip_stub::end_of(stream) ? hipSuccess : hipErrorNotReady);
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  const std::lock_guard hold(hip_stub::lock);
  if (current.wait != hipSuccess) return result(current.wait);
  if (event->held != nullptr && event->held->is_held) stream->behind.push_back(event->held);
  if (event->done) stream->done = std::max(stream->done, *event->done);
  return result(hipSuccess);
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) {
  const std::lock_guard hold(hip_stub::lock);
  ++current.events_alive;
  current.contexts.insert(current_device);
  *event = new ihipEvent_t{current_device, {}};
  hip_stub::given_out()[*event] = 0;
  return result(hipSuccess);
}
hipError_t hipEventDestroy(hipEvent_t event) {
  const std::lock_guard hold(hip_stub::lock);
  --current.events_alive;
  hip_stub::given_out().erase(event);
  delete event;
  return result(hipSuccess);
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t handle) {
  const std::lock_guard hold(hip_stub::lock);
  const hipStream_t stream = hip_stub::find(handle);
  if (current.record != hipSuccess) return result(current.record);
  if (stream->device != event->device) return result(hipErrorInvalidHandle);
  if (const hipError_t error = hip_stub::capture_result(stream); error != hipSuccess) return result(error);
  event->done = stream->is_held ? stream->done : hip_stub::end_of(stream);
  event->held = stream->is_held ? stream : nullptr;
  return result(hipSuccess);
}
hipError_t hipEventQuery(hipEvent_t event) {
  std::function<hipError_t(int)> on_query;
  {
    const std::lock_guard hold(hip_stub::lock);
    on_query = current.on_query;
  }
  if (on_query) {
    if (const hipError_t error = on_query(event->device); error != hipSuccess) return result(error);
  }
  const std::lock_guard hold(hip_stub::lock);
  // An event without a record stands for no work at all.
  const bool ready = event->held != nullptr ? event->held->is_done() : !event->done || Clock::now() >= *event->done;
  return unsafe_result(ready ? hipSuccess : hipErrorNotReady);
}
hipError_t hipMalloc(void** memory, std::size_t bytes) {
  return hip_stub::allocate(memory, bytes);
}
hipError_t hipExtMallocWithFlags(void** memory, std::size_t bytes, unsigned) {
  return hip_stub::allocate(memory, bytes);
}
hipError_t hipFree(void* memory) {
  const std::lock_guard hold(hip_stub::lock);
  if (const hipError_t error = unsafe_result(hipSuccess); error != hipSuccess) return error;
  current.contexts.insert(current_device);
  hip_stub::given_out().erase(memory);
  std::free(memory);
  return hipSuccess;
}
hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned) {
  const hipError_t error = hip_stub::allocate(memory, bytes);
  if (error != hipSuccess) return error;
  const std::lock_guard hold(hip_stub::lock);
  hip_stub::given_out()[*memory] = bytes;
  current.host_bytes_alive += bytes;
  ++current.host_blocks_made;
  return hipSuccess;
}
hipError_t hipHostFree(void* memory) {
  {
    const std::lock_guard hold(hip_stub::lock);
    current.host_bytes_alive -= std::exchange(hip_stub::given_out()[memory], 0);
  }
  return hipFree(memory);
}
hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t stream) {
  hip_stub::enqueue(stream, std::chrono::nanoseconds(0), [&] { std::memset(memory, value, bytes); });
  return result(hipSuccess);
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind, hipStream_t stream) {
  if (current.copy != hipSuccess) return result(current.copy);
  hip_stub::enqueue(stream, std::chrono::nanoseconds(0), [&] { std::memcpy(to, from, bytes); });
  return result(hipSuccess);
}
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                              hipStream_t stream) {
  const std::pair<int, int> link{from_device, to_device};
  if (current.hanging.contains(link)) {
    const std::lock_guard hold(hip_stub::lock);
    stream->done = hip_stub::Moment::max();
    return result(hipSuccess);
  }
  if (current.lossy.contains(link)) bytes = std::min<std::size_t>(bytes, 4096);
  return hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, stream);
}
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  const std::lock_guard hold(hip_stub::lock);
  const std::chrono::duration<float, std::milli> elapsed = *end->done - *begin->done;
  *milliseconds = elapsed.count();
  return result(hipSuccess);
}
hipError_t hipDeviceCanAccessPeer(int* can, int from, int to) {
  ++current.peers_asked;
  *can = current.unreachable.contains({from, to}) ? 0 : 1;
  return result(hipSuccess);
}
hipError_t hipDeviceEnablePeerAccess(int, unsigned) {
  ++current.peers_enabled;
  return result(current.enable_peer);
}

}  // extern "C"
