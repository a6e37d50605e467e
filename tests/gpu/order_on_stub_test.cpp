// The order of Jobs with what the program has put on GPUs itself, over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gpu/backend.hpp>
#include <skua/detail/gpu_after.hpp>
#include <skua/input.hpp>
#include <skua/scheduler.hpp>

#include "support/hip_stub.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;
using Moment = std::chrono::steady_clock::time_point;

Devices open(const std::string& gpus, const std::string& others = "") {
  static const SteadyClock clock;
  Devices devices = open_gpus(gpus, Topology{}, clock);
  if (!others.empty()) {
    for (auto& device : open_devices(others, Topology{}, clock)) devices.push_back(std::move(device));
  }
  return devices;
}

/// Remembers when its chunks begin, on GPUs and on the host.
class BeginKernel final : public Kernel, public LaunchCode {
 public:
  explicit BeginKernel(std::chrono::nanoseconds each = 1us) : each_(each) {}
  void run_on_host(const Chunk& chunk) const override {
    remember(std::chrono::steady_clock::now());
    host_items += chunk.items();
  }
  const Code* code(std::string_view) const noexcept override { return this; }
  void start(const Chunk& chunk) const override {
    auto* const stream = static_cast<hipStream_t>(chunk.stream);
    remember(std::max(hip_stub::begin_of_next(stream), std::chrono::steady_clock::now()));
    hip_stub::enqueue(stream, each_ * chunk.items(), [] {});
  }
  Moment first() const {
    const std::lock_guard lock(mutex_);
    return first_;
  }

  mutable std::atomic<std::uint64_t> host_items{0};

 private:
  void remember(Moment begin) const {
    const std::lock_guard lock(mutex_);
    first_ = std::min(first_, begin);
  }
  std::chrono::nanoseconds each_;
  mutable std::mutex mutex_;
  mutable Moment first_ = Moment::max();
};

/// Puts something on a stream of a GPU and says when that will have ended.
Moment keep_busy(int gpu, hipStream_t stream, std::chrono::milliseconds duration = 60ms) {
  EXPECT_EQ(hipSetDevice(gpu), hipSuccess);
  hip_stub::enqueue(stream, duration, [] {});
  return hip_stub::begin_of_next(stream);
}

class GpuOrder : public testing::Test {
 protected:
  /// When the first chunk of a Job began.
  Moment run(Scheduler& scheduler, const std::vector<Awaited>& after = {}) {
    const auto kernel = std::make_shared<BeginKernel>();
    JobOptions options;
    options.after = after;
    report = scheduler.run(2'000, kernel, options);
    EXPECT_EQ(report.items_done, 2'000u);
    return kernel->first();
  }
  std::string notes() const {
    std::string all;
    for (const std::string& note : report.notes) all += note + "\n";
    return all;
  }
  hipStream_t make_stream(int gpu) {
    hipStream_t stream = nullptr;
    EXPECT_EQ(hipSetDevice(gpu), hipSuccess);
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    return stream;
  }

  hip_stub::State& stub = hip_stub::reset();
  Report report;
};

TEST_F(GpuOrder, RunsNothingOnAnyGpuBeforeTheDefaultStreamsOfAllAreDone) {
  Scheduler scheduler(open("0,1,2/4"));
  for (const int gpu : {0, 1, 2}) {
    for (const hipStream_t stream : {hipStream_t{nullptr}, hipStreamPerThread}) {
      const Moment end = keep_busy(gpu, stream);
      EXPECT_GE(run(scheduler), end) << "of gpu:" << gpu;
    }
  }
}

TEST_F(GpuOrder, WaitsForNothingThatIsOnAGpuOfOthers) {
  Scheduler scheduler(open("0"));
  const Moment end = keep_busy(3, nullptr, 10s);
  EXPECT_LT(run(scheduler), end);
}

TEST_F(GpuOrder, AsksEachGpuOnceWhereNothingIsThere) {
  Scheduler scheduler(open("0/4,1/2"));
  const int events = stub.events_alive;
  stub.streams_asked = 0;
  run(scheduler);
  EXPECT_EQ(stub.streams_asked, 2);
  EXPECT_EQ(stub.events_alive, events);
}

TEST_F(GpuOrder, LetsTheHostWaitLikeTheGpus) {
  Scheduler scheduler(open("0", "host:2"));
  const Moment end = keep_busy(0, nullptr);
  const auto kernel = std::make_shared<BeginKernel>(10us);
  scheduler.run(20'000, kernel);
  EXPECT_GE(kernel->first(), end);
  EXPECT_GT(kernel->host_items, 0u) << "the host had no part in it";
}

TEST_F(GpuOrder, WaitsForStreamsAndEventsThatTheJobNames) {
  Scheduler scheduler(open("0"));
  const hipStream_t stream = make_stream(3);
  Moment end = keep_busy(3, stream, 10s);
  EXPECT_LT(run(scheduler), end) << "it was not named";
  const hipStream_t other = make_stream(3);
  end = keep_busy(3, other);
  EXPECT_GE(run(scheduler, {after(other)}), end);
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
  end = keep_busy(3, other);
  ASSERT_EQ(hipEventRecord(event, other), hipSuccess);
  EXPECT_GE(run(scheduler, {after(make_stream(1)), after(event)}), end);
  ASSERT_EQ(hipSetDevice(3), hipSuccess);
  end = keep_busy(3, nullptr);
  EXPECT_GE(run(scheduler, {after(hipStream_t{nullptr})}), end) << "the current GPU's";
}

TEST_F(GpuOrder, LetsAHostAloneWaitForWhatTheJobNames) {
  static const SteadyClock clock;
  Scheduler scheduler(open_devices("host:2", Topology{}, clock));
  const hipStream_t stream = make_stream(1);
  const Moment end = keep_busy(1, stream);
  EXPECT_GE(run(scheduler, {after(stream)}), end);
  EXPECT_NE(notes().find("had queued"), std::string::npos) << "it took long: " << notes();
}

TEST_F(GpuOrder, RefusesWhatCannotBeWaitedFor) {
  Scheduler scheduler(open("0"));
  const auto error_of = [&](const std::vector<Awaited>& named) -> std::string {
    JobOptions options;
    options.after = named;
    try {
      scheduler.run(100, std::make_shared<BeginKernel>(), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "it ran";
  };
  const hipStream_t captured = make_stream(0);
  stub.captured = {captured};
  EXPECT_NE(error_of({after(make_stream(1)), after(captured)}).find("JobOptions::after[1]"), std::string::npos);
  EXPECT_NE(error_of({after(captured)}).find("captured"), std::string::npos);
  EXPECT_FALSE(stub.is_capture_spoilt);
  EXPECT_NE(error_of({Awaited{}}).find("JobOptions::after[0]"), std::string::npos);
  EXPECT_NE(error_of({after(hipEvent_t{nullptr})}).find("no event"), std::string::npos);
  run(scheduler);
}

struct Thread {
  bool success_clears_error = false;
  hipError_t pending = hipSuccess;
};

class GpuOrderLeaves : public GpuOrder, public testing::WithParamInterface<Thread> {};

TEST_P(GpuOrderLeaves, TheCallersThreadAsItWasAndOtherGpusWithoutAContext) {
  stub.turning_makes_context = false;
  stub.success_clears_error = GetParam().success_clears_error;
  Scheduler scheduler(open("1,3"));
  ASSERT_EQ(hipSetDevice(3), hipSuccess);
  const Moment end = keep_busy(3, nullptr);
  for (const bool is_busy : {true, false}) {
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    hipStreamCaptureMode mode = hipStreamCaptureModeThreadLocal;
    ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
    if (GetParam().pending != hipSuccess) {
      EXPECT_EQ(hipSetDevice(77), GetParam().pending);
    }
    const Moment begin = run(scheduler);
    EXPECT_TRUE(!is_busy || begin >= end);
    EXPECT_EQ(hipGetLastError(), GetParam().pending);
    int current = -1;
    EXPECT_EQ(hipGetDevice(&current), hipSuccess);
    EXPECT_EQ(current, 0);
    EXPECT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
    EXPECT_EQ(mode, hipStreamCaptureModeThreadLocal);
  }
  EXPECT_EQ(stub.contexts, (std::set<int>{1, 3}));
}

INSTANTIATE_TEST_SUITE_P(Errors, GpuOrderLeaves,
                         testing::Values(Thread{false, hipSuccess}, Thread{false, hipErrorInvalidDevice},
                                         Thread{true, hipSuccess}, Thread{true, hipErrorInvalidDevice}));

TEST_F(GpuOrder, SpoilsNoCaptureAndIsNotKeptFromWaitingByOneOfAnotherStream) {
  Scheduler scheduler(open("0,1"));
  const Moment end = keep_busy(1, nullptr);
  stub.is_capturing = true;
  EXPECT_GE(run(scheduler), end);
  EXPECT_FALSE(stub.is_capture_spoilt);
}

TEST_F(GpuOrder, SaysThatALegacyStreamCannotBeWaitedForWhileAStreamBehindItIsCaptured) {
  Scheduler scheduler(open("0,1"));
  const Moment end = keep_busy(1, hipStreamPerThread);
  stub.is_blocking_captured = true;
  EXPECT_GE(run(scheduler), end) << "the calling thread's own can be";
  EXPECT_FALSE(stub.is_capture_spoilt);
  EXPECT_NE(notes().find("gpu:1: what was on its legacy default stream was not waited for"), std::string::npos)
      << notes();
  stub.is_blocking_captured = false;
  run(scheduler);
  EXPECT_EQ(notes().find("captured"), std::string::npos) << notes();
}

TEST_F(GpuOrder, RunsNothingOutOfOrderWhereAGpuCannotBeToldToWait) {
  Scheduler scheduler(open("0,1"));
  const Moment end = keep_busy(1, nullptr);
  stub.wait = hipErrorInvalidHandle;
  const auto kernel = std::make_shared<BeginKernel>();
  EXPECT_THROW(scheduler.run(100, kernel), DeviceError);
  EXPECT_EQ(kernel->first(), Moment::max()) << "something was launched";
  stub.wait = hipSuccess;
  EXPECT_GE(run(scheduler), end);
}

TEST_F(GpuOrder, TakesNoDeviceThatWaitsForTheProgramForOneThatHangs) {
  SchedulerOptions options;
  options.patience = 20ms;
  Scheduler scheduler(open("0,1"), options);
  run(scheduler);
  const Moment end = keep_busy(0, nullptr, 300ms);
  EXPECT_GE(run(scheduler), end);
  for (const DeviceReport& device : report.devices) {
    EXPECT_FALSE(device.failed) << device.failure;
    EXPECT_LT(device.busy_s, 0.2) << "the wait counts as work";
  }
}

TEST_F(GpuOrder, LeavesAJobThatIsCancelledWhileItWaitsAndForgetsWhatItWaitedFor) {
  SchedulerOptions of_scheduler;
  of_scheduler.patience = 20ms;
  Scheduler scheduler(open("0", "host:1"), of_scheduler);
  const hipStream_t stream = make_stream(2);
  const Moment end = keep_busy(2, stream, 150ms);
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
  ASSERT_EQ(hipEventRecord(event, stream), hipSuccess);
  JobOptions options;
  options.after = {after(event)};
  options.cancellation.emplace();
  const auto kernel = std::make_shared<BeginKernel>();
  options.progress = [&](const Progress&) {
    if (kernel->first() != Moment::max()) options.cancellation->request();
  };
  options.progress_every = 1ms;
  report = scheduler.run(2'000, kernel, options);
  EXPECT_LT(report.items_done, 2'000u);
  EXPECT_GE(kernel->first(), end);
  EXPECT_FALSE(report.devices[0].failed) << report.devices[0].failure;
  EXPECT_EQ(kernel->host_items, 0u);
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  run(scheduler);
}

TEST_F(GpuOrder, HoldsCopiesBackToo) {
  const Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const Memory memory = device.allocate(1000, MemoryPlace::shared);
  const Moment end = keep_busy(0, nullptr);
  std::vector<std::string> unused;
  const Awaited queue = device.default_queue();
  const auto work = queue.kind->unfinished(queue.handle, unused);
  ASSERT_NE(work, nullptr);
  ASSERT_TRUE(device.can_wait_for(*work));
  device.wait_for(work);
  ASSERT_FALSE(device.copy({memory.at(500), memory.at(0), 500}, 1).has_value());
  while (!device.poll()) std::this_thread::yield();
  EXPECT_GE(std::chrono::steady_clock::now(), end);
  EXPECT_TRUE(work->has_ended());
}

TEST_F(GpuOrder, HoldsNoMoreEventsAfterManyJobs) {
  Scheduler scheduler(open("0,1"));
  run(scheduler);
  const int events = stub.events_alive;
  for (int job = 0; job < 50; ++job) {
    keep_busy(job % 2, nullptr, 1ms);
    run(scheduler);
  }
  EXPECT_EQ(stub.events_alive, events);
}

}  // namespace
}  // namespace skua
