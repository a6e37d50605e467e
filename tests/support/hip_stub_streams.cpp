// Streams as moments at which all that lies on them will be done; events as such moments, once recorded.
#include "hip_stub_inside.hpp"

using hip_stub::Clock;
using hip_stub::current;
using hip_stub::current_device;
using hip_stub::result;
using hip_stub::unsafe_result;

namespace hip_stub {
namespace {

hipStream_t legacy_of(int device) {
  return &streams().legacy.try_emplace(device, ihipStream_t{device}).first->second;
}

}  // namespace

Streams& streams() {
  static auto* const all = new Streams;
  return *all;
}

bool is_legacy(hipStream_t stream) {
  return stream == legacy_of(stream->device);
}

hipStream_t find(hipStream_t handle) {
  if (handle != nullptr && handle != hipStreamPerThread) return handle;
  current.contexts.insert(current_device);
  if (handle == nullptr) return legacy_of(current_device);
  const std::pair key{std::this_thread::get_id(), current_device};
  const hipStream_t stream = &streams().of_threads.try_emplace(key, ihipStream_t{current_device, true}).first->second;
  streams().blocking.insert(stream);
  return stream;
}

Moment end_of(hipStream_t stream) {
  Moment end = stream->end();
  if (stream->is_blocking) end = std::max(end, legacy_of(stream->device)->end());
  if (!is_legacy(stream)) return end;
  for (const hipStream_t other : streams().blocking) {
    if (other->device == stream->device) end = std::max(end, other->end());
  }
  return end;
}

hipError_t capture_result(hipStream_t stream) {
  const bool spoils = current.captured.contains(stream) || (current.is_blocking_captured && is_legacy(stream));
  if (!spoils) return hipSuccess;
  current.is_capture_spoilt = true;
  return current.captured.contains(stream) ? hipErrorStreamCaptureUnsupported : hipErrorStreamCaptureImplicit;
}

void enqueue(hipStream_t handle, std::chrono::nanoseconds duration, std::function<void()> work) {
  const std::lock_guard hold(lock);
  const hipStream_t stream = find(handle);
  current.launched.emplace(stream->device, current_device);
  const Moment begin = std::max(end_of(stream), Clock::now());
  const bool never = current.dead.contains(stream->device) || begin == Moment::max() || !stream->meets_all_xcds;
  if (is_legacy(stream)) ++current.put_on_null;
  if (stream->is_blocking && !legacy_of(stream->device)->is_done()) ++current.launches_behind_null;
  if (queues_in_use(stream->device) > current.hardware_queues) {
    ++current.slow_launches;
    duration *= 2;
  }
  // What a test holds is done when it is released.
  if (!stream->is_held && stream->behind.empty()) stream->done = never ? Moment::max() : begin + duration;
  // Where some XCDs cannot run their part of it, what it is to do is not done.
  if (!current.dead.contains(stream->device) && stream->meets_all_xcds) work();
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

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  if (flags != hipStreamNonBlocking) return result(hipErrorInvalidValue);
  const std::lock_guard hold(hip_stub::lock);
  *stream = hip_stub::make_stream(false, {});
  return result(hipSuccess);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  const std::lock_guard hold(hip_stub::lock);
  hip_stub::streams().blocking.erase(stream);
  hip_stub::streams().made.erase(stream);
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
  if (current.question_takes.count() > 0 && !stream->is_done()) {
    ++current.barriers;
    if (stream->done != hip_stub::Moment::max()) stream->done += current.question_takes;
    for (const auto until = Clock::now() + current.question_takes; Clock::now() < until;) continue;
  }
  if (const hipError_t error = hip_stub::capture_result(stream); error != hipSuccess) return result(error);
  return unsafe_result(Clock::now() >= hip_stub::end_of(stream) ? hipSuccess : hipErrorNotReady);
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  const std::lock_guard hold(hip_stub::lock);
  if (current.wait != hipSuccess) return result(current.wait);
  ++current.barriers;
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
  ++current.barriers;
  if (hip_stub::is_legacy(stream)) ++current.put_on_null;
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
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  const std::lock_guard hold(hip_stub::lock);
  const std::chrono::duration<float, std::milli> elapsed = *end->done - *begin->done;
  *milliseconds = elapsed.count();
  return result(hipSuccess);
}
}  // extern "C"
