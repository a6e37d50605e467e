// Many Jobs, many Schedulers, many thieves: what only shows after many tries. Thread sanitizer watches.
#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <skua/scheduler.hpp>
#include <system/thread.hpp>

#include "../support/asynchronous_device.hpp"
#include "../support/devices.hpp"

namespace skua {
namespace {

TEST(Stress, NoWakeUpIsLostOverManyShortJobs) {
  for (const unsigned devices : {1u, 8u}) {
    Scheduler scheduler(test::host_devices(devices));
    for (int job = 0; job < 3000; ++job) {
      if (job % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(job % 50));
      ASSERT_EQ(scheduler.parallel_for(1, [](std::uint64_t) {}).items_done, 1u);
    }
  }
}

TEST(Stress, SchedulersComeAndGo) {
  for (int round = 0; round < 300; ++round) {
    Scheduler scheduler(test::host_devices(4));
    if (round % 2 == 0) {
      ASSERT_EQ(scheduler.parallel_for(100, [](std::uint64_t) {}).items_done, 100u);
    }
  }
}

TEST(Stress, EightThievesLoseNoGranule) {
  Scheduler scheduler(test::host_devices(8));
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:1";
  std::vector<std::atomic<std::uint8_t>> runs(20'000);
  for (int round = 0; round < 5; ++round) {
    for (auto& count : runs) count = 0;
    scheduler.parallel_for(
        runs.size(),
        [&](std::uint64_t i) {
          // Half of the loop is a hundred times as costly, so the other half's owners must steal.
          for (int spins = i < runs.size() / 2 ? 100 : 1; spins > 0; --spins) spin_pause();
          ++runs[i];
        },
        options);
    for (std::size_t i = 0; i < runs.size(); ++i) ASSERT_EQ(runs[i], 1) << i;
  }
}

TEST(Stress, CancelsAndFailuresLeaveTheSchedulerUsable) {
  Scheduler scheduler(test::host_devices(4));
  for (int round = 0; round < 100; ++round) {
    JobOptions options;
    options.cancellation.emplace();
    options.granule_items = 1;
    const std::uint64_t at = static_cast<std::uint64_t>(round) * 7 % 500;
    if (round % 2 == 0) {
      scheduler.parallel_for(
          500,
          [at, cancel = *options.cancellation](std::uint64_t i) {
            if (i == at) cancel.request();
          },
          options);
    } else {
      EXPECT_THROW(scheduler.parallel_for(
                       500,
                       [at](std::uint64_t i) {
                         if (i == at) throw std::runtime_error("stress");
                       },
                       options),
                   BodyError);
    }
  }
  EXPECT_EQ(scheduler.parallel_for(1000, [](std::uint64_t) {}).items_done, 1000u);
}

TEST(Stress, AsynchronousAndHostDevicesStealFromOneAnother) {
  Devices devices = test::host_devices(2);
  devices.push_back(std::make_unique<test::AsynchronousDevice>("asynchronous"));
  Scheduler scheduler(std::move(devices));
  JobOptions options;
  options.granule_items = 4;
  for (int round = 0; round < 20; ++round) {
    const auto sum = scheduler.parallel_reduce(
        40'000, std::uint64_t{0}, [](std::uint64_t i) { return i; }, Plus{}, options);
    ASSERT_EQ(sum.value, std::uint64_t{40'000} * 39'999 / 2);
  }
}

double process_cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST(Stress, IdleWorkersBurnNothing) {
  Scheduler scheduler(test::host_devices(8));
  scheduler.parallel_for(1000, [](std::uint64_t) {});
  const double before = process_cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LT(process_cpu_seconds() - before, 0.04);
}

TEST(Stress, WorkersThatWaitForOneLongChunkBurnLittle) {
  Devices devices;
  for (const char* name : {"a", "b", "c", "d"}) devices.push_back(std::make_unique<test::AsynchronousDevice>(name));
  Scheduler scheduler(std::move(devices));
  JobOptions options;
  options.granule_items = 1;
  const double before = process_cpu_seconds();
  scheduler.parallel_for(
      1, [](std::uint64_t) { std::this_thread::sleep_for(std::chrono::seconds(2)); }, options);
  EXPECT_LT(process_cpu_seconds() - before, 0.6);
}

TEST(Stress, MoreDevicesThanCoresAllMakeProgress) {
  Scheduler scheduler(test::host_devices(8));
  const Report report =
      scheduler.parallel_for(8000, [](std::uint64_t) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
  for (const DeviceReport& device : report.devices) EXPECT_GT(device.items, 0u) << device.name;
}

}  // namespace
}  // namespace skua
