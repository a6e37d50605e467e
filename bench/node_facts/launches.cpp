// What launches, their fences and questions about them cost (F2, F4, F5, F6).
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gpu.hpp"
#include "question.hpp"

namespace facts {
namespace {

using namespace std::chrono_literals;

#if defined(SKUA_GPU_HIP)
constexpr bool is_amd = true;
#else
constexpr bool is_amd = false;
#endif

constexpr std::uint64_t items = 1 << 20;

/// Microseconds a launch, of 200 in a row.
double time_a_launch(const std::function<void(hipStream_t)>& launch) {
  constexpr int launches = 200;
  const Stream stream;
  for (int i = 0; i < 20; ++i) launch(stream);
  stream.wait();
  return median_of(7, [&] {
    return microseconds([&] {
             for (int i = 0; i < launches; ++i) launch(stream);
             stream.wait();
           }) /
           launches;
  });
}

struct FenceTimes {
  double none = 0;
  double every_thread = 0;
  double release = 0;
  double both = 0;
};

FenceTimes time_fences() {
  const unsigned blocks = resident_blocks_of_items(compute_units());
  const Memory y = gpu_memory(items * sizeof(float));
  const Memory done = gpu_memory(sizeof(std::uint32_t));
  const Shared<std::uint64_t> mark(1);
  const auto time = [&](Fences fences) {
    return time_a_launch([&](hipStream_t stream) {
      start_items(stream, blocks, fences, items, static_cast<float*>(y.get()), static_cast<std::uint32_t*>(done.get()),
                  mark.data());
    });
  };
  FenceTimes times;
  times.none = time(Fences::none_and_no_mark);
  times.every_thread = time(Fences::every_thread);
  times.release = time(Fences::release_a_block);
  times.both = time(Fences::release_and_acquire_a_block);
  tell(fmt::format("{} blocks of {} threads over {} items", blocks, block_threads, items));
  return times;
}

std::string text_of(const FenceTimes& times) {
  return fmt::format(
      "us a launch: no fence {:.2f}, every thread {:.2f}, one release a block {:.2f}, and an acquire {:.2f}",
      times.none, times.every_thread, times.release, times.both);
}

/// A kernel that runs for so long, in a moment.
void keep_busy(const Stream& stream, std::chrono::microseconds time, BlockTrace* trace) {
  start_waiting(stream, 1, ticks_of(time), trace);
}

/// Microseconds of the first call beside a busy stream, and the median of the next hundred.
struct CallCost {
  double first = 0;
  double later = 0;
};

CallCost cost_beside(const Stream& stream, const std::function<void()>& call) {
  const Shared<BlockTrace> trace(1);
  keep_busy(stream, 0us, trace.data());
  stream.wait();
  call();
  std::vector<double> firsts;
  std::vector<double> laters;
  for (int i = 0; i < 9; ++i) {
    keep_busy(stream, 5ms, trace.data());
    firsts.push_back(microseconds(call));
    for (int j = 0; j < 100; ++j) laters.push_back(microseconds(call));
    stream.wait();
  }
  std::sort(firsts.begin(), firsts.end());
  std::sort(laters.begin(), laters.end());
  return {firsts[firsts.size() / 2], laters[laters.size() / 2]};
}

/// Microseconds from the end of one kernel to the begin of the next, with a call between their launches.
double gap_with(const Stream& stream, const std::function<void()>& call) {
  const Shared<BlockTrace> traces(2);
  return median_of(31, [&] {
    keep_busy(stream, 500us, &traces[0]);
    call();
    keep_busy(stream, 0us, &traces[1]);
    stream.wait();
    const auto ticks = static_cast<double>(traces[1].begin_ticks) - static_cast<double>(traces[0].end_ticks);
    return ticks / static_cast<double>(ticks_of(1s)) * 1e6;
  });
}

void ask(hipStream_t stream) {
  static_cast<void>(hipStreamQuery(stream));
  static_cast<void>(hipGetLastError());
}

class Event {
 public:
  Event() { skua::require("hipEventCreateWithFlags", hipEventCreateWithFlags(&event_, hipEventDisableTiming)); }
  ~Event() { static_cast<void>(hipEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator hipEvent_t() const noexcept { return event_; }

 private:
  hipEvent_t event_ = nullptr;
};

}  // namespace

Answer ask_code() {
  bool all_ran = true;
  std::string found;
  for (int ordinal = 0; ordinal < gpu_count(); ++ordinal) {
    std::string what = "its code runs";
    try {
      skua::use_gpu(ordinal);
      const Stream stream;
      const Shared<BlockTrace> traces(64);
      start_work(stream, static_cast<unsigned>(traces.size()), 16, traces.data());
      stream.wait();
      if (std::any_of(traces.begin(), traces.end(), [](const BlockTrace& trace) { return trace.is_written != 1; })) {
        throw skua::GpuError("it ran, but not all of its blocks wrote");
      }
    } catch (const std::exception& error) {
      what = error.what();
      all_ran = false;
    }
    const std::string line = arch_of(ordinal) + ": " + what;
    tell(fmt::format("device {}: {}", ordinal, line));
    if (ordinal == 0) found = line;
    if (!all_ran) return {fmt::format("device {}: {}; built for {}", ordinal, line, FACTS_BUILT_FOR), false};
  }
  return {fmt::format("{} devices, {}; built for {}", gpu_count(), found, FACTS_BUILT_FOR), all_ran};
}

Answer ask_fences() {
  const FenceTimes times = time_fences();
  return {text_of(times), times.both <= times.every_thread * 1.05};
}

Answer ask_fences_without_flush() {
  return {text_of(time_fences()), std::nullopt};
}

Answer ask_handing() {
  constexpr unsigned rounds = slices_of_granule;
  const unsigned blocks = resident_blocks_of_items(compute_units());
  const std::size_t slices = std::size_t{blocks} * (block_threads / 32) * rounds;
  const Memory values = gpu_memory(slices * sizeof(float));
  const Memory arrivals = gpu_memory(slices / slices_of_granule * sizeof(std::uint32_t));
  const Shared<std::uint32_t> wrong(1);
  const auto time = [&](Handing handing) {
    return time_a_launch([&](hipStream_t stream) {
      start_handing(stream, blocks, handing, rounds, static_cast<float*>(values.get()),
                    static_cast<std::uint32_t*>(arrivals.get()), wrong.data());
    });
  };
  const double fenced = time(Handing::fenced);
  const std::uint32_t wrong_fenced = wrong[0];
  if (!is_amd)
    return {fmt::format("{:.1f} us for {} slices with fences; {} sums wrong", fenced, slices, wrong_fenced),
            wrong_fenced == 0};
  const double atomic = time(Handing::atomic);
  return {fmt::format("{} slices: {:.1f} us with fences, {:.1f} us by atomics; sums wrong: {} and {}", slices, fenced,
                      atomic, wrong_fenced, wrong[0] - wrong_fenced),
          wrong[0] == 0 && atomic <= fenced * 1.05};
}

Answer ask_stream_query() {
  const Stream stream;
  const CallCost cost = cost_beside(stream, [&] { ask(stream); });
  const std::string found =
      fmt::format("{:.2f} us the first time after a launch, {:.2f} us later", cost.first, cost.later);
  return {found, is_amd ? cost.first > 2 : cost.first < 2};
}

Answer ask_event_query() {
  const Stream stream;
  const Event event;
  const CallCost cost = cost_beside(stream, [&] {
    static_cast<void>(hipEventQuery(event));
    static_cast<void>(hipGetLastError());
  });
  const CallCost device = cost_beside(stream, [] {
    int ordinal = 0;
    static_cast<void>(hipGetDevice(&ordinal));
  });
  return {fmt::format("{:.2f} us, later {:.2f}; of hipGetDevice {:.2f}", cost.first, cost.later, device.later),
          cost.first < 2};
}

Answer ask_gaps() {
  const Stream stream;
  const Event event;
  const Shared<BlockTrace> trace(1);
  keep_busy(stream, 0us, trace.data());
  stream.wait();
  const double plain = gap_with(stream, [] {});
  const double asked = gap_with(stream, [&] { ask(stream); });
  const double recorded = gap_with(stream, [&] { skua::require("hipEventRecord", hipEventRecord(event, stream)); });
  const std::string found =
      fmt::format("{:.2f} us between two kernels, {:.2f} with a question between their launches, {:.2f} with an event",
                  plain, asked, recorded);
  return {found, is_amd ? asked - plain > 1 : asked - plain < 1};
}

}  // namespace facts
