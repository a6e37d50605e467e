// Copies on a stream, and the events behind them.
#include "copy_queue.hpp"

namespace skua {

void GpuCopyQueue::start(const Copy& copy, std::uint64_t number, std::int64_t now_ns) {
  if (stream_ == nullptr) {
    require("hipStreamCreateWithFlags", hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking));
  }
  earlier_.hold_back(stream_);
  Running running{number, now_ns, take_event(), hipSuccess};
  const hipError_t copied = hipMemcpyAsync(copy.to, copy.from, copy.bytes, hipMemcpyDefault, stream_);
  if (copied != hipSuccess) {
    free_events_.push_back(running.end);
    require("hipMemcpyAsync", copied);
  }
  // From here on the copy runs, so that whatever fails is its end's.
  running.error = hipEventRecord(running.end, stream_);
  if (running.error != hipSuccess) {
    static_cast<void>(hipGetLastError());
    free_events_.push_back(running.end);
    running.end = nullptr;
  }
  running_.push_back(running);
}

std::optional<GpuCopyQueue::Ended> GpuCopyQueue::poll() {
  if (running_.empty()) return std::nullopt;
  const Running& oldest = running_.front();
  const hipError_t state = oldest.end != nullptr ? hipEventQuery(oldest.end) : hipStreamQuery(stream_);
  if (state == hipErrorNotReady || is_refused_by_capture(state)) return std::nullopt;
  Ended ended = give_up();
  if (ended.error == hipSuccess) ended.error = state;
  return ended;
}

GpuCopyQueue::Ended GpuCopyQueue::give_up() {
  const Running oldest = running_.front();
  running_.pop_front();
  if (oldest.end != nullptr) free_events_.push_back(oldest.end);
  return {oldest.number, oldest.begin_ns, oldest.error};
}

hipEvent_t GpuCopyQueue::take_event() {
  if (!free_events_.empty()) {
    const hipEvent_t event = free_events_.back();
    free_events_.pop_back();
    return event;
  }
  hipEvent_t event = nullptr;
  require("hipEventCreateWithFlags", hipEventCreateWithFlags(&event, hipEventDisableTiming));
  return event;
}

void GpuCopyQueue::close() noexcept {
  for (const hipEvent_t event : free_events_) static_cast<void>(hipEventDestroy(event));
  if (stream_ != nullptr) static_cast<void>(hipStreamDestroy(stream_));
  free_events_.clear();
  stream_ = nullptr;
}

}  // namespace skua
