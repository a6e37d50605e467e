// Jobs over the GPU backend, over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <gpu/backend.hpp>
#include <skua/scheduler.hpp>

#include "support/counting_kernel.hpp"
#include "support/hip_stub.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;
using test::CountingKernel;

Devices open(const std::string& argument = "") {
  static const SteadyClock clock;
  return open_gpus(argument, Topology{}, clock);
}

class GpuJobs : public testing::Test {
 protected:
  hip_stub::State& stub = hip_stub::reset();
};

TEST_F(GpuJobs, RunsEveryItemOnceOverSeveralGpus) {
  auto kernel = std::make_shared<CountingKernel>(20'000, 100ns);
  Scheduler scheduler(open());
  const Report report = scheduler.run(20'000, kernel);
  EXPECT_EQ(report.items_done, 20'000u);
  kernel->expect_all_once();
}

TEST_F(GpuJobs, LetsOtherGpusGoOnWhileTheQueriesOfOneStall) {
  std::atomic<int> queries{0};
  stub.on_query = [&](int device) {
    if (device == 2 && ++queries % 10 == 0) std::this_thread::sleep_for(40ms);
    return hipSuccess;
  };
  auto kernel = std::make_shared<CountingKernel>(4'000, 20us);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:10";
  Scheduler scheduler(open());
  const Report report = scheduler.run(4'000, kernel, options);
  kernel->expect_all_once();
  std::uint64_t others = 0;
  for (const std::size_t other : {0u, 1u, 3u}) others += report.devices[other].items;
  EXPECT_GT(others / 3, report.devices[2].items);
  EXPECT_GT(report.devices[2].slow_calls, 0u);
  EXPECT_NE(to_text(report).find("took longer than 10 ms"), std::string::npos);
}

TEST_F(GpuJobs, CallsEachGpuWithItselfAsTheCurrentOne) {
  ASSERT_EQ(hipSetDevice(2), hipSuccess);
  Scheduler scheduler(open());
  scheduler.launch(1000, [](const Chunk& chunk) {
    hip_stub::enqueue(static_cast<hipStream_t>(chunk.stream), 1us, [] {});
    static_cast<void>(hipSetDevice(0));
  });
  for (const auto& [of_stream, current] : stub.launched) EXPECT_EQ(of_stream, current);
  int callers = -1;
  EXPECT_EQ(hipGetDevice(&callers), hipSuccess);
  EXPECT_EQ(callers, 2);
}

TEST_F(GpuJobs, RetiresAGpuWhoseLaunchFailsAndRunsItsItemsElsewhere) {
  std::atomic<int> queries{0};
  stub.on_query = [&](int device) { return device == 1 && ++queries > 5 ? hipErrorLaunchFailure : hipSuccess; };
  auto kernel = std::make_shared<CountingKernel>(8'000, 1us);
  JobOptions options;
  options.granule_items = 1;
  Scheduler scheduler(open());
  const Report report = scheduler.run(8'000, kernel, options);
  EXPECT_EQ(report.items_done, 8'000u);
  EXPECT_TRUE(report.devices[1].failed);
  EXPECT_NE(report.devices[1].failure.find("gpu:1"), std::string::npos);
}

using GpuExit = GpuJobs;

void use(Scheduler& scheduler) {
  scheduler.run(100, std::make_shared<CountingKernel>(100, 1us));
}

TEST_F(GpuExit, CallsNothingAfterMainWhenASchedulerIsGlobal) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        static Scheduler scheduler(open());
        use(scheduler);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(GpuExit, CallsNothingAfterMainWhenASchedulerIsNeverDestroyed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto* const scheduler = new Scheduler(open());
        use(*scheduler);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(GpuExit, LeavesByTheCodeThatABodyExitsWith) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto* const scheduler = new Scheduler(open());
        scheduler->launch(100, [](const Chunk&) { std::exit(3); });
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace skua
