// Launching on a GPU, and seeing the ends.
#include "gpu_device.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include <skua/discovery.hpp>
#include <system/thread.hpp>

#include "gpu_memory.hpp"

namespace skua {
namespace {

// Enough for the launches of most Jobs; growing costs some 100 us.
constexpr std::size_t scratch_bytes_min = std::size_t{1} << 20;
constexpr std::size_t zero_count_min = std::size_t{1} << 14;
constexpr std::size_t mark_stride_bytes = 256;

/// What a GPU that never came back may still use.
void keep_forever(const MakeGpuStream& make_stream, const std::shared_ptr<void>& marks) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::pair<MakeGpuStream, std::shared_ptr<void>>>;
  const std::lock_guard lock(mutex);
  kept->emplace_back(make_stream, marks);
}

}  // namespace

GpuDevice::GpuDevice(DeviceInfo info, int ordinal, std::uint32_t units, const MakeGpuStream& make_stream,
                     const Clock& clock)
    : info_(std::move(info)), ordinal_(ordinal), units_(units), clock_(clock), make_stream_(make_stream) {
  const CurrentGpu current(ordinal_);
  int threads = 0;
  require("hipDeviceGetAttribute",
          hipDeviceGetAttribute(&threads, hipDeviceAttributeMaxThreadsPerMultiProcessor, ordinal_));
  threads_max_ = std::uint64_t{units_} * static_cast<std::uint64_t>(std::max(threads, 1));
  try {
    // A line of memory for each, so that the host's look at one does not meet the GPU's write to the other.
    marks_ = allocate_shared_memory(slot_count * mark_stride_bytes);
    for (std::size_t i = 0; i < slot_count; ++i) {
      Slot& slot = slots_[i];
      slot.mark = reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(marks_.get()) + i * mark_stride_bytes);
      slot.stream = make_stream_();
      require("hipEventCreateWithFlags", hipEventCreateWithFlags(&slot.event, hipEventDisableTiming));
      grow(slot, {scratch_bytes_min, zero_count_min});
    }
  } catch (...) {
    close();
    throw;
  }
}

GpuDevice::~GpuDevice() {
  if (GpuCalls::ended()) return;
  // What a GPU still runs may use all of this; after a while it is left to the end of the process.
  constexpr std::chrono::milliseconds patience{200};
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!running_.empty() && std::chrono::steady_clock::now() < until) {
    if (!poll()) std::this_thread::yield();
  }
  if (!running_.empty() || lost_) {
    keep_forever(make_stream_, marks_);
    return;
  }
  int callers = -1;
  const bool known = hipGetDevice(&callers) == hipSuccess;
  if (hipSetDevice(ordinal_) == hipSuccess) close();
  if (known) static_cast<void>(hipSetDevice(callers));
  static_cast<void>(hipGetLastError());
}

void GpuDevice::close() noexcept {
  for (Slot& slot : slots_) {
    if (slot.event != nullptr) static_cast<void>(hipEventDestroy(slot.event));
    if (slot.stream != nullptr) static_cast<void>(hipStreamDestroy(slot.stream));
    if (slot.scratch != nullptr) static_cast<void>(hipFree(slot.scratch));
    if (slot.zeros != nullptr) static_cast<void>(hipFree(slot.zeros));
    slot = {};
  }
  for (void* memory : outgrown_) static_cast<void>(hipFree(memory));
  outgrown_.clear();
  static_cast<void>(hipGetLastError());
}

void GpuDevice::add_notes(const std::vector<std::string>& notes) {
  info_.notes.insert(info_.notes.end(), notes.begin(), notes.end());
}

std::vector<std::string> GpuDevice::attach() {
  std::vector<std::string> notes;
  if (const hipError_t error = hipSetDevice(ordinal_); error != hipSuccess) {
    lost_ = describe("hipSetDevice", error);
    static_cast<void>(hipGetLastError());
  }
  if (info_.cpus) {
    const Binding binding = choose_binding(*info_.cpus, discover_host_cpus().allowed);
    if (binding.note) notes.push_back(info_.name + ": " + *binding.note);
    if (const auto note = bind_this_thread(binding.cpus)) notes.push_back(info_.name + ": " + *note);
  }
  return notes;
}

std::uint64_t GpuDevice::filling_items(const Kernel& kernel, std::uint64_t granule) const {
  const auto fit = kernel.fit_gpu(ordinal_, units_, granule);
  return fit ? fit->resident_items : threads_max_;
}

std::optional<double> GpuDevice::occupancy(const Kernel& kernel, std::uint64_t granule) const {
  const auto fit = kernel.fit_gpu(ordinal_, units_, granule);
  return fit ? std::optional<double>(fit->occupancy) : std::nullopt;
}

std::shared_ptr<void> GpuDevice::allocate(std::size_t bytes) {
  return allocate_shared_memory(bytes);
}

void GpuDevice::grow(Slot& slot, const GpuNeeds& needs) {
  if (needs.scratch_bytes > slot.scratch_bytes) {
    void* memory = nullptr;
    const std::size_t bytes = std::bit_ceil(needs.scratch_bytes);
    require("hipMalloc", hipMalloc(&memory, bytes));
    if (slot.scratch != nullptr) outgrown_.push_back(slot.scratch);
    slot.scratch = memory;
    slot.scratch_bytes = bytes;
  }
  if (needs.zero_count > slot.zero_count) {
    void* memory = nullptr;
    const std::size_t count = std::bit_ceil(needs.zero_count);
    require("hipMalloc", hipMalloc(&memory, count * sizeof(std::uint32_t)));
    if (slot.zeros != nullptr) outgrown_.push_back(slot.zeros);
    slot.zeros = static_cast<std::uint32_t*>(memory);
    slot.zero_count = count;
    require("hipMemsetAsync", hipMemsetAsync(memory, 0, count * sizeof(std::uint32_t), slot.stream));
  }
}

void GpuDevice::enqueue(const Kernel& kernel, Chunk chunk, Slot& slot) {
  // Queries that found a launch unfinished may have left an error behind, which would be taken for this launch's.
  static_cast<void>(hipGetLastError());
  GpuNeeds needs = kernel.gpu_needs(chunk);
  needs.zero_count += 1;
  grow(slot, needs);
  chunk.stream = slot.stream;
  *slot.mark = 0;
  {
    const BodyScope scope;
    kernel.start_on_gpu(chunk, {ordinal_, units_, slot.scratch, slot.zeros + 1, slot.zeros, slot.mark});
  }
  const hipError_t started = hipGetLastError();
  // The user's code may have turned to another GPU.
  if (kernel.unit() == Kernel::Unit::chunk) require("hipSetDevice", hipSetDevice(ordinal_));
  require("launch", started);
  if (!kernel.marks_end()) require("hipEventRecord", hipEventRecord(slot.event, slot.stream));
}

std::optional<Failure> GpuDevice::launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) {
  const GpuCalls::Stay stay(calls_);
  if (!stay.allowed()) return Failure{Failure::Kind::lost, "the process ends", nullptr};
  if (lost_) return Failure{Failure::Kind::lost, *lost_, nullptr};
  if (!kernel.runs_on_gpu()) {
    return Failure{Failure::Kind::launch, "the body's source was not compiled for GPUs", nullptr};
  }
  Launch next;
  next.number = number;
  next.slot = launched_ % slot_count;
  next.marks_end = kernel.marks_end();
  next.begin_ns = clock_.now_ns();
  try {
    enqueue(kernel, chunk, slots_[next.slot]);
  } catch (const GpuError& error) {
    return failure(error.what());
  } catch (const std::exception& error) {
    return Failure{Failure::Kind::body, error.what(), std::current_exception()};
  } catch (...) {
    return Failure{Failure::Kind::body, "not a std::exception", std::current_exception()};
  }
  running_.push(next);
  ++launched_;
  return std::nullopt;
}

std::optional<Completion> GpuDevice::poll() {
  if (running_.empty()) return std::nullopt;
  const GpuCalls::Stay stay(calls_);
  if (!stay.allowed()) return std::nullopt;
  const std::int64_t now_ns = clock_.now_ns();
  const hipError_t state = look_at(running_.oldest(), now_ns);
  if (state == hipErrorNotReady) {
    last_look_ns_ = now_ns;
    return std::nullopt;
  }
  const Launch launch = running_.pop();
  Completion completion;
  completion.launch = launch.number;
  completion.begin_ns = std::max(launch.begin_ns, last_end_ns_);
  completion.end_ns = state == hipSuccess ? std::max(completion.begin_ns, end_of(launch, now_ns)) : now_ns;
  last_end_ns_ = completion.end_ns;
  if (state != hipSuccess) {
    static_cast<void>(hipGetLastError());
    completion.failure = failure(describe(launch.marks_end ? "hipStreamQuery" : "hipEventQuery", state));
  }
  return completion;
}

/// Not ready, done, or what went wrong. A kernel that fails never marks its end, so the runtime is asked now and then.
hipError_t GpuDevice::look_at(const Launch& launch, std::int64_t now_ns) {
  constexpr std::int64_t question_every_ns = 1'000'000;
  const Slot& slot = slots_[launch.slot];
  if (!launch.marks_end) return hipEventQuery(slot.event);
  if (*static_cast<const volatile std::uint64_t*>(slot.mark) != 0) {
    std::atomic_thread_fence(std::memory_order_acquire);
    return hipSuccess;
  }
  if (now_ns - last_question_ns_ < question_every_ns) return hipErrorNotReady;
  last_question_ns_ = now_ns;
  return hipStreamQuery(slot.stream);
}

/// When the launch ended, by the host's clock: now, if it ran at the last look and that was just before; or else as
/// long after the end of the launch before it as the GPU's clock says.
std::int64_t GpuDevice::end_of(const Launch& launch, std::int64_t now_ns) {
  constexpr std::int64_t just_before_ns = 5'000;
  constexpr std::uint64_t no_time = 1;
  const std::uint64_t mark = launch.marks_end ? *slots_[launch.slot].mark : 0;
  const std::uint64_t before = std::exchange(last_mark_, mark > no_time ? mark : 0);
  const bool looked_in_time = now_ns - last_look_ns_ < just_before_ns;
  if (looked_in_time || before == 0 || last_mark_ <= before) return now_ns;
  return std::min(now_ns, last_end_ns_ + static_cast<std::int64_t>(mark - before));
}

/// An error of one launch passes; a GPU that reports it again, whatever is asked, is lost.
bool GpuDevice::usable() {
  static_cast<void>(hipGetLastError());
  const hipError_t state = hipStreamQuery(slots_[0].stream);
  static_cast<void>(hipGetLastError());
  return state == hipSuccess || state == hipErrorNotReady;
}

Failure GpuDevice::failure(std::string message) {
  if (usable()) return {Failure::Kind::launch, std::move(message), nullptr};
  lost_ = message;
  while (!running_.empty()) running_.pop();
  return {Failure::Kind::lost, std::move(message), nullptr};
}

void GpuDevice::check_that_it_runs() {
  constexpr std::chrono::seconds patience{2};
  constexpr int pattern = 0x5a;
  const CurrentGpu current(ordinal_);
  const std::shared_ptr<void> seen = allocate_shared_memory(sizeof(std::uint32_t));
  auto* const value = static_cast<volatile std::uint32_t*>(seen.get());
  *value = 0;
  Slot& slot = slots_[0];
  require("hipMemsetAsync", hipMemsetAsync(slot.scratch, pattern, sizeof(std::uint32_t), slot.stream));
  require("hipMemcpyAsync",
          hipMemcpyAsync(seen.get(), slot.scratch, sizeof(std::uint32_t), hipMemcpyDefault, slot.stream));
  const hipEvent_t end = slot.event;
  require("hipEventRecord", hipEventRecord(end, slot.stream));
  const auto until = std::chrono::steady_clock::now() + patience;
  hipError_t state = hipErrorNotReady;
  while ((state = hipEventQuery(end)) == hipErrorNotReady) {
    if (std::chrono::steady_clock::now() > until) {
      lost_ = "it did not finish a small task in 2 s";
      throw GpuError(*lost_);
    }
    std::this_thread::yield();
  }
  require("hipEventQuery", state);
  if (*value != 0x5a5a5a5au) throw GpuError("a small task left a wrong result");
}

}  // namespace skua
