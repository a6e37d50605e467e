// Looks at streams and events of the program's, and puts events behind what has not ended.
#include "earlier_work.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <skua/detail/gpu_after.hpp>

#include "exit_fence.hpp"

namespace skua {
namespace {

using Work = std::shared_ptr<const EarlierWork>;

Work look_at(QuietCalls& calls, hipStream_t stream) {
  const hipError_t state = calls.query(stream);
  if (state == hipSuccess) return nullptr;
  if (state != hipErrorNotReady) throw GpuError(describe("hipStreamQuery", state));
  GpuMark mark;
  if (const hipError_t recorded = calls.record(stream, mark); recorded != hipSuccess) {
    throw GpuError(describe("hipEventRecord", recorded));
  }
  return std::make_shared<GpuEarlierWork>(mark);
}

/// The legacy stream waits for all blocking streams and they for it, the default streams of threads among them: one
/// question tells of all. While one of them is captured any use of it would spoil the capture, also a question.
Work look_at_default_streams(QuietCalls& calls, int ordinal, std::vector<std::string>& notes) {
  if (!calls.turn_to(ordinal)) return nullptr;
  bool is_capturing = false;
  const hipError_t state = calls.is_capturing(QuietCalls::legacy_stream(), is_capturing);
  if (state == hipSuccess && !is_capturing) return look_at(calls, QuietCalls::legacy_stream());
  notes.push_back("gpu:" + std::to_string(ordinal) + ": what was on its legacy default stream was not waited for: " +
                  (is_refused_by_capture(state) || is_capturing ? "a stream of the program's is being captured"
                                                                : describe("hipStreamIsCapturing", state)));
  if (calls.is_capturing(hipStreamPerThread, is_capturing) != hipSuccess || is_capturing) return nullptr;
  return look_at(calls, hipStreamPerThread);
}

class DefaultStreams final : public AwaitedKind {
 public:
  Work unfinished(void* handle, std::vector<std::string>& notes) const override {
    const auto ordinal = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
    Work work;
    call_quietly([&](QuietCalls& calls) { work = look_at_default_streams(calls, ordinal, notes); });
    return work;
  }
};

class Streams final : public AwaitedKind {
 public:
  Work unfinished(void* handle, std::vector<std::string>& notes) const override {
    auto* const stream = static_cast<hipStream_t>(handle);
    if (is_default(stream)) return unfinished_of_current(notes);
    Work work;
    call_quietly([&](QuietCalls& calls) {
      bool is_capturing = false;
      hipError_t state = calls.turn_to(stream);
      if (state == hipSuccess) state = calls.is_capturing(stream, is_capturing);
      if (state != hipSuccess) throw GpuError(describe("hipStreamIsCapturing", state));
      if (is_capturing) throw GpuError("this stream is being captured: nothing on it runs");
      work = look_at(calls, stream);
    });
    return work;
  }

 private:
  static bool is_default(hipStream_t stream) noexcept {
    return stream == nullptr || stream == QuietCalls::legacy_stream() || stream == hipStreamPerThread;
  }
  static Work unfinished_of_current(std::vector<std::string>& notes) {
    int ordinal = 0;
    require("hipGetDevice", hipGetDevice(&ordinal));
    const Awaited queue = default_queue_of(ordinal);
    return queue.kind->unfinished(queue.handle, notes);
  }
};

class Events final : public AwaitedKind {
 public:
  Work unfinished(void* handle, std::vector<std::string>&) const override {
    auto* const event = static_cast<hipEvent_t>(handle);
    if (event == nullptr) throw GpuError("there is no event");
    Work work;
    call_quietly([&](QuietCalls& calls) {
      const hipError_t state = calls.query(event);
      if (state == hipSuccess) return;
      if (state != hipErrorNotReady) throw GpuError(describe("hipEventQuery", state));
      work = std::make_shared<GpuEarlierWork>(event);
    });
    return work;
  }
};

}  // namespace

const AwaitedKind& gpu_default_streams() noexcept {
  static const auto* const one = new DefaultStreams;
  return *one;
}

const AwaitedKind& gpu_streams() noexcept {
  static const auto* const one = new Streams;
  return *one;
}

const AwaitedKind& gpu_events() noexcept {
  static const auto* const one = new Events;
  return *one;
}

Awaited default_queue_of(int ordinal) noexcept {
  return {&gpu_default_streams(), reinterpret_cast<void*>(static_cast<std::intptr_t>(ordinal))};
}

GpuEarlierWork::~GpuEarlierWork() {
  if (!owns_ || ExitFence::ended()) return;
  try {
    call_quietly([this](QuietCalls& calls) { calls.destroy(mark_); });
  } catch (const std::exception&) {
    // The process ends, and the event with it.
  }
}

/// Of work that went wrong nothing runs any more: whoever uses the GPU next is told.
bool GpuEarlierWork::is_end(hipError_t state) const noexcept {
  if (state == hipErrorNotReady || is_refused_by_capture(state)) return false;
  ended_.store(true, std::memory_order_release);
  return true;
}

bool GpuEarlierWork::has_ended() const noexcept {
  if (ended_.load(std::memory_order_acquire)) return true;
  bool ended = false;
  try {
    call_quietly([&](QuietCalls& calls) { ended = is_end(calls.query(mark_.event)); });
  } catch (const std::exception&) {
    // The process ends, or has no thread to ask on: the next look may tell.
  }
  return ended;
}

bool GpuEarlierWork::is_seen_to_have_ended() const noexcept {
  if (ended_.load(std::memory_order_acquire)) return true;
  const bool ended = is_end(hipEventQuery(mark_.event));
  static_cast<void>(hipGetLastError());
  return ended;
}

void GpuWaitList::add(const std::shared_ptr<const GpuEarlierWork>& work) {
  static_cast<void>(has_ended());
  works_.push_back(work);
}

bool GpuWaitList::has_ended() {
  std::erase_if(works_, [](const auto& weak) {
    const auto work = weak.lock();
    return work == nullptr || work->is_seen_to_have_ended();
  });
  return works_.empty();
}

void GpuWaitList::hold_back(hipStream_t stream) {
  if (has_ended()) return;
  for (const auto& weak : works_) {
    if (const auto work = weak.lock()) require("hipStreamWaitEvent", hipStreamWaitEvent(stream, work->event(), 0));
  }
  works_.clear();
}

}  // namespace skua
