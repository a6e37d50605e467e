// Launching on a GPU, and seeing the ends.
#include "device.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <skua/discovery.hpp>
#include <system/keep_forever.hpp>
#include <system/thread.hpp>

#include "built_for.hpp"
#include "own_thread.hpp"
#include "rounds.hpp"

namespace skua {
namespace {

constexpr std::uint64_t warp_threads = 32;  // as GpuRounds counts them
constexpr std::int64_t long_ns = 200'000;   // a launch that takes a look of 2 us for nothing

/// The kernel's code for GPUs, in one of its two forms.
struct FoundCode {
  const GpuCode* gpu = nullptr;
  const LaunchCode* launcher = nullptr;

  explicit FoundCode(const Kernel& kernel) {
    const Code* const code = kernel.code(GpuCode::backend);
    gpu = dynamic_cast<const GpuCode*>(code);
    launcher = gpu == nullptr ? dynamic_cast<const LaunchCode*>(code) : nullptr;
  }
  explicit operator bool() const noexcept { return gpu != nullptr || launcher != nullptr; }
};

}  // namespace

GpuDevice::GpuDevice(DeviceInfo info, int ordinal, std::uint32_t units, const MakeGpuStream& make_stream,
                     const Clock& clock)
    : info_(std::move(info)),
      ordinal_(ordinal),
      units_(units),
      clock_(clock),
      make_stream_(make_stream),
      ends_(TickLength(told_tick_ns(ordinal))) {
  info_.can.launches_max = launches_max;
  info_.can.overlaps = true;
  info_.can.slots_max = launches_max;
  info_.can.stays_warm = true;
  use_gpu(ordinal_);
  QuietCalls::prepare();
  int threads = 0;
  require("hipDeviceGetAttribute",
          hipDeviceGetAttribute(&threads, hipDeviceAttributeMaxThreadsPerMultiProcessor, ordinal_));
  threads_max_ = std::uint64_t{units_} * static_cast<std::uint64_t>(std::max(threads, 1));
  // A kernel has at least one block a compute unit, whatever the GPU says that it holds.
  const std::uint64_t threads_launched_max = std::max<std::uint64_t>(threads_max_, std::uint64_t{units_} * 1024);
  const std::size_t warps = threads_launched_max / warp_threads;
  try {
    shared_ = allocate_shared_memory(launches_max * GpuSlot::shared_bytes(warps), ordinal_);
    for (std::size_t i = 0; i < launches_max; ++i) {
      auto* const shared = static_cast<std::byte*>(shared_.get()) + i * GpuSlot::shared_bytes(warps);
      slots_[i].open(make_stream_, shared, warps);
    }
  } catch (...) {
    close();
    throw;
  }
}

GpuDevice::~GpuDevice() {
  if (ExitFence::ended()) return;
  try {
    on_own_thread([this] {
      use_gpu(ordinal_);
      // The Jobs whose words told of drops may be gone.
      for (Launch& launch : launches_) launch.was_told = true;
      constexpr std::chrono::milliseconds patience{200};
      const auto until = std::chrono::steady_clock::now() + patience;
      while ((running_ > 0 || !copies_.empty()) && std::chrono::steady_clock::now() < until) {
        if (!poll()) std::this_thread::yield();
      }
      if (running_ > 0 || !copies_.empty() || lost_) throw GpuError("it still runs something");
      close();
    });
  } catch (const std::exception&) {
    // What a GPU still runs may use all of this: it is left to the end of the process.
    GpuMemoryUser::keep_all();
    keep_forever(std::pair(make_stream_, shared_));
  }
}

void GpuDevice::close() noexcept {
  for (GpuSlot& slot : slots_) slot.close();
  copies_.close();
  if (side_stream_ != nullptr) static_cast<void>(hipStreamDestroy(side_stream_));
  side_stream_ = nullptr;
  make_stream_ = nullptr;
  static_cast<void>(hipGetLastError());
}

void GpuDevice::add_notes(const std::vector<std::string>& notes) {
  info_.notes.insert(info_.notes.end(), notes.begin(), notes.end());
}

std::vector<std::string> GpuDevice::attach() {
  std::vector<std::string> notes;
  const ExitFence::Stay stay(fence_);
  if (!stay.allowed()) return notes;
  ignore_captures();
  try {
    use_gpu(ordinal_);
  } catch (const GpuError& error) {
    lost_ = error.what();
  }
  if (info_.cpus) {
    const Binding binding = choose_binding(*info_.cpus, discover_host_cpus().allowed);
    if (binding.note) notes.push_back(info_.name + ": " + *binding.note);
    if (const auto note = bind_this_thread(binding.cpus)) notes.push_back(info_.name + ": " + *note);
  }
  return notes;
}

bool GpuDevice::can_run(const Kernel& kernel) const noexcept {
  return static_cast<bool>(FoundCode(kernel));
}

bool GpuDevice::can_wait_for(const EarlierWork& work) const noexcept {
  return dynamic_cast<const GpuEarlierWork*>(&work) != nullptr;
}

void GpuDevice::wait_for(const std::shared_ptr<const EarlierWork>& work) {
  const ExitFence::Stay stay(fence_);
  if (!stay.allowed()) return;
  const auto of_gpu = std::dynamic_pointer_cast<const GpuEarlierWork>(work);
  for (GpuSlot& slot : slots_) slot.wait_for(of_gpu);
  copies_.wait_for(of_gpu);
  earlier_.add(of_gpu);
}

std::string GpuDevice::why_not(const Kernel& kernel) const {
  const std::string obstacle = kernel.obstacle(GpuCode::backend);
  return obstacle.empty() ? "there is no code for it: let hipcc or nvcc compile its source" : obstacle;
}

std::uint64_t GpuDevice::filling_items(const Kernel& kernel, std::uint64_t granule) const {
  const FoundCode code(kernel);
  const auto fit = code.gpu != nullptr ? code.gpu->fit(ordinal_, units_, granule) : std::nullopt;
  return fit ? fit->resident_items : threads_max_;
}

std::optional<double> GpuDevice::occupancy(const Kernel& kernel, std::uint64_t granule) const {
  const FoundCode code(kernel);
  const auto fit = code.gpu != nullptr ? code.gpu->fit(ordinal_, units_, granule) : std::nullopt;
  return fit ? std::optional<double>(fit->occupancy) : std::nullopt;
}

Memory GpuDevice::allocate(std::size_t bytes, MemoryPlace place) {
  try {
    return {place == MemoryPlace::own ? allocate_gpu_memory(bytes, ordinal_) : allocate_shared_memory(bytes, ordinal_),
            bytes, place};
  } catch (const GpuError& error) {
    throw MemoryError("device " + info_.name + ": no " + std::to_string(bytes) + " bytes of " +
                      (place == MemoryPlace::own ? "its own" : "shared") + " memory: " + error.what());
  }
}

std::optional<Failure> GpuDevice::launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) {
  const ExitFence::Stay stay(fence_);
  if (!stay.allowed()) return Failure{Failure::Kind::lost, "the process ends", nullptr};
  if (lost_) return Failure{Failure::Kind::lost, *lost_, nullptr};
  if (running_ == launches_max) {
    return Failure{Failure::Kind::launch, "it holds " + std::to_string(launches_max) + " launches already", nullptr};
  }
  const FoundCode code(kernel);
  if (!code) return Failure{Failure::Kind::launch, "the body's source was not compiled for GPUs", nullptr};
  GpuSlot& slot = slots_[slot_of(running_)];
  Launch& next = launches_[slot_of(running_)];
  next = {number, clock_.now_ns(), chunk, {}, code.gpu, {}, code.gpu == nullptr, {}, 0, false};
  try {
    slot.prepare(code.gpu != nullptr ? code.gpu->needs(chunk) : GpuNeeds{});
    if (running_ > 0 && !kernel.overlaps()) slots_[slot_of(running_ - 1)].lead(slot.stream());
  } catch (const GpuError& error) {
    return failure(error.what());
  } catch (const std::exception& error) {
    return Failure{Failure::Kind::launch, error.what(), nullptr};
  }
  next.part = slot.part();
  next.part.ordinal = ordinal_;
  next.part.compute_units = units_;
  next.part.looks_first = running_ > 0 && ends_.last_duration_ns().value_or(long_ns) >= long_ns;
  next.chunk.stream = slot.stream();
  next.chunk.slot = static_cast<std::uint32_t>(slot_of(running_));
  // Whatever goes wrong from here on, something may have been launched: the launch ends when its stream is empty.
  ++running_;
  fence_.set_busy(true);
  start(code.launcher, next, slot);
  return std::nullopt;
}

/// Fails: by launch.failure.
void GpuDevice::start(const LaunchCode* launcher, Launch& launch, GpuSlot& slot) {
  // Queries that found a launch unfinished may have left an error behind, which would be taken for this launch's.
  static_cast<void>(hipGetLastError());
  try {
    if (launch.code != nullptr) {
      launch.code->start(launch.chunk, launch.part);
    } else {
      const BodyScope scope;
      launcher->start(launch.chunk);
    }
    require_launched(hipGetLastError(), launch.code != nullptr ? launch.code->built_for() : "", ordinal_);
  } catch (const GpuError& error) {
    launch.failure = failure(error.what());
  } catch (const std::exception& error) {
    launch.failure = Failure{Failure::Kind::body, error.what(), std::current_exception()};
  } catch (...) {
    launch.failure = Failure{Failure::Kind::body, "not a std::exception", std::current_exception()};
  }
  if (launcher == nullptr) return;
  try {
    // The user's code may have turned to another GPU, or to another way with captures.
    ignore_captures();
    use_gpu(ordinal_);
    require("hipEventRecord", hipEventRecord(slot.event(), slot.stream()));
  } catch (const GpuError& error) {
    if (!launch.failure) launch.failure = failure(error.what());
  }
}

std::optional<Failure> GpuDevice::copy(const Copy& copy, std::uint64_t number) {
  const ExitFence::Stay stay(fence_);
  if (!stay.allowed()) return Failure{Failure::Kind::lost, "the process ends", nullptr};
  if (lost_) return Failure{Failure::Kind::lost, *lost_, nullptr};
  try {
    copies_.start(copy, number, clock_.now_ns());
  } catch (const GpuError& error) {
    return failure(error.what());
  }
  return std::nullopt;
}

std::optional<Completion> GpuDevice::poll() {
  if (running_ == 0 && copies_.empty()) return std::nullopt;
  const ExitFence::Stay stay(fence_);
  if (!stay.allowed()) return std::nullopt;
  if (lost_) return poll_lost();
  tell_dropped();
  if (auto copied = poll_copies()) return copied;
  const std::int64_t now_ns = clock_.now_ns();
  if (waits(now_ns) || running_ == 0) return std::nullopt;
  const hipError_t state = look_at(launches_[oldest_], slots_[oldest_], now_ns);
  if (state == hipErrorNotReady || is_refused_by_capture(state)) {
    ends_.found_running(now_ns);
    return std::nullopt;
  }
  return end_oldest(state, now_ns);
}

/// Whether something of the program's holds all up that was launched since: that has not begun then, and must not count
/// as time that it took.
bool GpuDevice::waits(std::int64_t now_ns) {
  if (earlier_.has_ended()) return false;
  ends_.held_back_until(now_ns);
  return true;
}

/// Tells the kernels of chunks that have been dropped since the last look.
void GpuDevice::tell_dropped() {
  for (std::size_t place = 0; place < running_; ++place) {
    Launch& launch = launches_[slot_of(place)];
    if (launch.was_told || !launch.chunk.drop.now()) continue;
    launch.was_told = true;
    if (launch.failure) continue;
    const std::optional<GpuRounds> dealt = launch.code->rounds(launch.chunk, launch.part);
    if (!dealt) continue;
    if (side_stream_ == nullptr && hipStreamCreateWithFlags(&side_stream_, hipStreamNonBlocking) != hipSuccess) {
      // It runs to its end, then.
      static_cast<void>(hipGetLastError());
      continue;
    }
    if (slots_[slot_of(place)].stop(side_stream_)) launch.stopped = dealt;
  }
}

Completion GpuDevice::end_oldest(hipError_t state, std::int64_t now_ns) {
  Launch& launch = launches_[oldest_];
  GpuSlot& slot = slots_[oldest_];
  Completion completion;
  completion.launch = launch.number;
  completion.begin_ns = std::max(launch.begin_ns, ends_.last_end_ns());
  const std::uint64_t mark = launch.code != nullptr && !launch.failure ? slot.end_mark() : 0;
  completion.end_ns = state == hipSuccess ? std::max(completion.begin_ns, ends_.end_ns(mark, now_ns)) : now_ns;
  ends_.ended(completion.begin_ns, completion.end_ns);
  completion.failure = std::move(launch.failure);
  if (state != hipSuccess) {
    const Failure seen = failure(describe(completion.failure ? "hipStreamQuery" : "hipEventQuery", state));
    if (!completion.failure || seen.kind == Failure::Kind::lost) completion.failure = seen;
  }
  if (completion.failure) {
    completion.whole = false;
    slot.distrust();
  } else if (launch.stopped) {
    const GpuRounds& dealt = *launch.stopped;
    completion.done_before_drop = granules_run_whole(dealt, slot.rounds_done().first(warp_count(dealt)));
    const std::vector<GranuleRange>& done = completion.done_before_drop;
    completion.whole = done.size() == 1 && done[0].first == 0 && done[0].last == launch.chunk.granules();
    if (completion.whole) completion.done_before_drop.clear();
  }
  oldest_ = slot_of(1);
  --running_;
  fence_.set_busy(running_ > 0);
  if (launch.code != nullptr && !completion.failure) slot.count_unseen(running_ == 0);
  return completion;
}

/// Not ready, done, or what went wrong.
hipError_t GpuDevice::look_at(Launch& launch, const GpuSlot& slot, std::int64_t now_ns) {
  if (launch.failure) {
    // There may be no kernel, no mark and no event.
    constexpr std::int64_t question_every_ns = 100'000;
    if (now_ns < launch.question_ns) return hipErrorNotReady;
    launch.question_ns = now_ns + question_every_ns;
    return hipStreamQuery(slot.stream());
  }
  if (launch.code == nullptr) return hipEventQuery(slot.event());
  if (slot.end_mark() == 0) return ask_if_overdue(launch, slot, now_ns);
  std::atomic_thread_fence(std::memory_order_acquire);
  return hipSuccess;
}

/// A kernel that fails never marks its end. To ask about it is dear on AMD, where the runtime puts a packet of its own
/// behind the kernel: so it is asked seldom, and by an event, which no runtime takes for done before the kernel is.
hipError_t GpuDevice::ask_if_overdue(Launch& launch, const GpuSlot& slot, std::int64_t now_ns) {
  constexpr std::int64_t patience_ns = 10'000'000;
  constexpr std::int64_t interval_max_ns = 1'000'000'000;
  constexpr std::int64_t durations = 4;
  const std::int64_t begin_ns = std::max(launch.begin_ns, ends_.last_end_ns());
  if (launch.question_ns == 0) {
    const std::int64_t usual_ns = ends_.last_duration_ns().value_or(0);
    launch.question_ns = begin_ns + std::clamp(durations * usual_ns, patience_ns, interval_max_ns);
  }
  if (now_ns < launch.question_ns) return hipErrorNotReady;
  launch.question_ns = now_ns + std::clamp(now_ns - begin_ns, patience_ns, interval_max_ns);
  if (!launch.is_asked) {
    if (const hipError_t error = hipEventRecord(slot.event(), slot.stream()); error != hipSuccess) return error;
    launch.is_asked = true;
  }
  return hipEventQuery(slot.event());
}

std::optional<Completion> GpuDevice::poll_copies() {
  const auto ended = copies_.poll();
  if (!ended) return std::nullopt;
  Completion completion;
  completion.launch = ended->number;
  completion.begin_ns = ended->begin_ns;
  completion.end_ns = clock_.now_ns();
  completion.whole = ended->error == hipSuccess;
  if (!completion.whole) completion.failure = failure(describe("hipMemcpyAsync", ended->error));
  return completion;
}

/// A GPU that is lost runs nothing any more, and has done so since it was lost: all that it held has ended.
std::optional<Completion> GpuDevice::poll_lost() {
  Completion completion;
  completion.end_ns = clock_.now_ns();
  completion.whole = false;
  completion.failure = Failure{Failure::Kind::lost, *lost_, nullptr};
  if (running_ > 0) {
    completion.launch = launches_[oldest_].number;
    completion.begin_ns = launches_[oldest_].begin_ns;
    oldest_ = slot_of(1);
    --running_;
    fence_.set_busy(running_ > 0);
  } else {
    const GpuCopyQueue::Ended copy = copies_.give_up();
    completion.launch = copy.number;
    completion.begin_ns = copy.begin_ns;
  }
  return completion;
}

/// An error of one launch passes; a GPU that reports it again, whatever is asked, is lost.
bool GpuDevice::usable() {
  static_cast<void>(hipGetLastError());
  const hipError_t state = hipStreamQuery(slots_[0].stream());
  static_cast<void>(hipGetLastError());
  return state == hipSuccess || state == hipErrorNotReady || is_refused_by_capture(state);
}

Failure GpuDevice::failure(std::string message) {
  if (usable()) return {Failure::Kind::launch, std::move(message), nullptr};
  lost_ = message;
  return {Failure::Kind::lost, std::move(message), nullptr};
}

}  // namespace skua
