// The order of Jobs on GPUs with what the program has put there itself; and that the program's own state stays.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#if defined(SKUA_GPU_CUDA)
#include <gpu/driver.hpp>
#endif
#include <skua/hip.hpp>

#include "support/gpu_capture.hpp"
#include "support/gpu_counters.hpp"
#include "support/loops_on_gpu.hpp"

namespace skua {
namespace {

using namespace gpu_api;
using test::Capture;
using test::Counters;
using test::GpuCounters;

constexpr std::uint64_t items = 1 << 20;

class OrderOnGpu : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess || count == 0) GTEST_SKIP() << "there is no GPU";
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    scheduler = std::make_unique<Scheduler>(SchedulerOptions{.devices = GetParam(), .trace = {}});
    // Loads the kernels: that waits for all that runs.
    const Counters warm(items);
    write_late(warm.values, items, 1, nullptr);
    count_values(*scheduler, items, warm.values, 1, {});
  }

  hipStream_t make_stream(unsigned flags) {
    hipStream_t stream = nullptr;
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, flags), hipSuccess);
    return stream;
  }

  std::unique_ptr<Scheduler> scheduler;
};

TEST_P(OrderOnGpu, SeesWhatTheProgramPutOnItsDefaultStreams) {
  const Counters values(items);
  unsigned round = 1;
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (const hipStream_t stream : {hipStream_t{nullptr}, hipStream_t{hipStreamPerThread}}) {
      write_late(values.values, items, ++round, stream);
      ASSERT_EQ(count_values(*scheduler, items, values.values, round, {}), items) << "round " << round;
    }
  }
}

TEST_P(OrderOnGpu, SeesWhatIsOnADefaultStreamAlsoWhereAnErrorOfTheProgramsIsPending) {
  const Counters values(items);
  for (unsigned round = 2; round < 6; ++round) {
    write_late(values.values, items, round, hipStreamPerThread);
    const hipError_t error = hipSetDevice(1'000);
    ASSERT_NE(error, hipSuccess);
    EXPECT_EQ(count_values(*scheduler, items, values.values, round, {}), items);
#if defined(SKUA_GPU_CUDA)
    // HIP before version 7 keeps the result of the last call, whatever it was.
    EXPECT_EQ(hipGetLastError(), error);
#endif
    static_cast<void>(hipGetLastError());
  }
}

TEST_P(OrderOnGpu, SeesWhatIsOnStreamsAndBehindEventsThatTheJobNames) {
  const Counters values(items);
  const hipStream_t stream = make_stream(hipStreamNonBlocking);
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
  for (unsigned round = 2; round < 12; ++round) {
    JobOptions options;
    write_late(values.values, items, round, stream);
    if (round % 2 == 0) {
      options.after = {after(stream)};
    } else {
      ASSERT_EQ(hipEventRecord(event, stream), hipSuccess);
      options.after = {after(event)};
    }
    ASSERT_EQ(count_values(*scheduler, items, values.values, round, options), items) << "round " << round;
  }
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_P(OrderOnGpu, IsSeenByAnyStreamWhenItHasReturned) {
  const GpuCounters runs(0, items);
  const hipStream_t stream = make_stream(hipStreamNonBlocking);
  const Counters seen(items);
  for (unsigned round = 1; round <= 50; ++round) {
    count_runs(*scheduler, items, runs.values, {});
    ASSERT_EQ(hipMemcpyAsync(seen.values, runs.values, items * sizeof(unsigned), hipMemcpyDefault, stream), hipSuccess);
    while (hipStreamQuery(stream) == hipErrorNotReady) {
    }
    seen.expect_all(round);
  }
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_P(OrderOnGpu, LeavesTheProgramsCurrentGpuAndLastErrorAlone) {
  const Counters values(items);
  write_late(values.values, items, 7, nullptr);
  EXPECT_EQ(count_values(*scheduler, items, values.values, 7, {}), items);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  int current = -1;
  EXPECT_EQ(hipGetDevice(&current), hipSuccess);
  EXPECT_EQ(current, 0);
}

TEST_P(OrderOnGpu, SpoilsNoCaptureAndWorksDuringOne) {
  const Counters values(items);
  unsigned round = 1;
  for (const unsigned flags : {unsigned{hipStreamNonBlocking}, unsigned{hipStreamDefault}}) {
    const hipStream_t stream = make_stream(flags);
    write_late(values.values, items, ++round, hipStreamPerThread);
    Capture capture(stream);
    const bool is_blocking = flags == hipStreamDefault;
    const Reduction<std::uint64_t> sum = sum_items(*scheduler, items, {});
    EXPECT_EQ(sum.value, items / 2 * (items - 1));
    EXPECT_EQ(count_values(*scheduler, items, values.values, round, {}), items);
    bool is_noted = false;
    for (const std::string& note : sum.report.notes) is_noted |= note.find("is being captured") != std::string::npos;
    EXPECT_EQ(is_noted, is_blocking);
    EXPECT_TRUE(capture.end()) << "flags " << flags;
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  }
}

TEST_P(OrderOnGpu, RefusesAStreamThatIsBeingCaptured) {
  const hipStream_t stream = make_stream(hipStreamNonBlocking);
  Capture capture(stream);
  JobOptions options;
  options.after = {after(stream)};
  EXPECT_THROW(sum_items(*scheduler, 1000, options), InputError);
  EXPECT_TRUE(capture.end());
  EXPECT_EQ(sum_items(*scheduler, 1000, options).value, 499'500u);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_P(OrderOnGpu, GivesEachSlotToOneKernelAtATime) {
  const GpuCounters scratch(0, 65);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:1";
  const Report report =
      launch_with_scratch(*scheduler, 400, Scratch::one_a_slot, scratch.values, scratch.values + 64, options);
  EXPECT_EQ(report.items_done, 400u);
  EXPECT_EQ(scratch.at(64), 0u);
}

TEST_P(OrderOnGpu, LetsChunksThatMustNotMeetRunOneBehindAnother) {
  const GpuCounters scratch(0, 65);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:1";
  const Report report =
      launch_with_scratch(*scheduler, 400, Scratch::one_a_device, scratch.values, scratch.values + 64, options);
  EXPECT_EQ(report.items_done, 400u);
  EXPECT_EQ(scratch.at(64), 0u);
}

INSTANTIATE_TEST_SUITE_P(Devices, OrderOnGpu, testing::Values("gpu:0", "gpu:0/4"),
                         [](const auto& devices) { return std::string(devices.param) == "gpu:0" ? "whole" : "parts"; });

TEST(OrderOnGpuAndHost, HoldsForHostDevicesToo) {
  int count = 0;
  if (hipGetDeviceCount(&count) != hipSuccess || count == 0) GTEST_SKIP() << "there is no GPU";
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  for (const char* devices : {"gpu:0;host:1", "host:2"}) {
    Scheduler scheduler(SchedulerOptions{.devices = devices, .trace = {}});
    const Counters values(items);
    for (unsigned round = 1; round < 10; ++round) {
      write_late(values.values, items, round, nullptr);
      JobOptions options;
      options.after = {after(hipStream_t{nullptr})};
      ASSERT_EQ(count_values(scheduler, items, values.values, round, options), items) << devices;
    }
  }
}

#if defined(SKUA_GPU_CUDA)
bool has_context(int ordinal) {
  unsigned flags = 0;
  int is_active = 0;
  const auto state = driver_function<decltype(&cuDevicePrimaryCtxGetState)>("cuDevicePrimaryCtxGetState");
  EXPECT_EQ(state(ordinal, &flags, &is_active), CUDA_SUCCESS);
  return is_active != 0;
}

/// In a process of its own: other tests use all GPUs.
TEST(OrderOnGpus, MakesNoContextOnAGpuThatWasNotAskedFor) {
  int count = 0;
  if (hipGetDeviceCount(&count) != hipSuccess || count < 2) GTEST_SKIP() << "there are no two GPUs";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Scheduler scheduler(SchedulerOptions{.devices = "gpu:1", .trace = {}});
        const bool is_right = sum_items(scheduler, 1000, {}).value == 499'500u;
        std::exit(is_right && has_context(1) && !has_context(0) ? 7 : 8);
      },
      testing::ExitedWithCode(7), "");
}
#endif

}  // namespace
}  // namespace skua
