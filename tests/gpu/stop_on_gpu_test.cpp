// Jobs on GPUs that end early: what is said to be done was done, what is not was not run whole, and nothing runs on.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "support/gpu_counters.hpp"
#include "support/loops_on_gpu.hpp"

namespace skua {
namespace {

using namespace gpu_api;
using test::Counters;

class StopOnGpu : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess || count == 0) GTEST_SKIP() << "there is no GPU";
    scheduler = std::make_unique<Scheduler>(SchedulerOptions{.devices = GetParam(), .trace = {}});
  }

  /// The options of a Job that is cancelled after a random while.
  JobOptions cancelled_soon() {
    JobOptions options;
    options.cancellation.emplace();
    const auto wait = std::chrono::microseconds(random() % 12'000);
    canceller.emplace([wait, cancel = *options.cancellation] {
      std::this_thread::sleep_for(wait);
      cancel.request();
    });
    return options;
  }

  std::unique_ptr<Scheduler> scheduler;
  std::mt19937 random{1};
  std::optional<std::thread> canceller;
};

TEST_P(StopOnGpu, LeavesOutExactlyWhatWasNotRunWhole) {
  constexpr std::uint64_t items = 3'000'000;
  int cut_short = 0;
  for (int round = 0; round < 40; ++round) {
    Counters runs(items);
    JobOptions options = cancelled_soon();
    const Report report = count_slowly(*scheduler, items, runs.values, options);
    canceller->join();
    cut_short += report.items_done < items ? 1 : 0;
    std::vector<bool> is_done(items, true);
    std::uint64_t not_done = 0;
    for (const ItemRange& range : report.not_done) {
      for (std::uint64_t begin = range.begin; begin < range.end; begin += report.granule_items) {
        const std::uint64_t end = std::min(begin + report.granule_items, range.end);
        std::uint64_t run = 0;
        for (std::uint64_t i = begin; i < end; ++i) {
          is_done[i] = false;
          run += runs.values[i];
        }
        ASSERT_LT(run, end - begin) << "the granule at " << begin << " was run whole, round " << round;
        not_done += end - begin;
      }
    }
    ASSERT_EQ(report.items_done + not_done, items);
    for (std::uint64_t i = 0; i < items; ++i) {
      ASSERT_LE(runs.values[i], 1u) << i;
      ASSERT_TRUE(!is_done[i] || runs.values[i] == 1) << i;
    }
  }
  EXPECT_GT(cut_short, 5) << "too few were cancelled in time to show anything";
}

TEST_P(StopOnGpu, ReducesExactlyWhatWasDone) {
  for (int round = 0; round < 40; ++round) {
    JobOptions options = cancelled_soon();
    const auto sum = count_items_slowly(*scheduler, 3'000'000, options);
    canceller->join();
    ASSERT_EQ(sum.value, sum.report.items_done) << "round " << round;
  }
  EXPECT_EQ(count_items_slowly(*scheduler, 100'000, {}).value, 100'000u) << "the next Job is whole";
}

TEST_P(StopOnGpu, WaitsForWhatALauncherHadStartedBeforeItThrew) {
  Counters done(1);
  EXPECT_THROW(launch_and_throw(*scheduler, done.values), BodyError);
  EXPECT_EQ(done.values[0], 1u) << "its kernel ran on after the call";
  Counters runs(1000);
  EXPECT_EQ(count_runs(*scheduler, 1000, runs.values, {}).items_done, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Devices, StopOnGpu, testing::Values("gpu:0", "gpu:0/4"),
                         [](const auto& devices) { return std::string(devices.param) == "gpu:0" ? "whole" : "parts"; });

}  // namespace
}  // namespace skua
