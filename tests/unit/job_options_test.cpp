// What the options of a Job change.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <skua/scheduler.hpp>

#include "support/asynchronous_device.hpp"
#include "support/devices.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

void work_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(JobOptions, KeepALaunchToChunksThatFillADevice) {
  Devices devices;
  devices.push_back(std::make_unique<test::AsynchronousDevice>("a"));
  devices.push_back(std::make_unique<test::AsynchronousDevice>("b"));
  Scheduler scheduler(std::move(devices));
  std::mutex mutex;
  std::vector<std::uint64_t> sizes;
  const auto launcher = [&](const Chunk& chunk) {
    for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) work_for(10us);
    const std::lock_guard lock(mutex);
    sizes.push_back(chunk.items());
  };
  JobOptions options;
  options.granule_items = 1;
  options.filling_items = 100;
  const Report report = scheduler.launch(10'000, launcher, options);
  // What is dealt or stolen may leave less than a chunk at its end.
  std::uint64_t ends = report.devices.size();
  for (const DeviceReport& device : report.devices) ends += device.steals;
  const auto is_small = [](std::uint64_t items) { return items < 100; };
  EXPECT_LE(static_cast<std::uint64_t>(std::count_if(sizes.begin(), sizes.end(), is_small)), ends);
  EXPECT_GE(sizes.front(), 100u);
  for (const DeviceReport& device : report.devices) {
    if (device.chunks == 0) continue;
    EXPECT_GE(device.smallest_chunk_items.value(), 100u) << device.name;
  }
}

TEST(JobOptions, LeaveAHostDeviceThatIsAloneOneChunkUnlessThePolicySaysOtherwise) {
  Scheduler scheduler(test::host_devices(1));
  const auto chunks = [&](const std::string& policy) {
    JobOptions options;
    options.granule_items = 1;
    options.policy = policy;
    return scheduler
        .parallel_for(
            1000, [](std::uint64_t) {}, options)
        .devices[0]
        .chunks;
  };
  EXPECT_EQ(chunks("factoring"), 1u);
  EXPECT_EQ(chunks("fixed:10"), 100u);
}

TEST(JobOptions, LetAnIdleHostDeviceTakeTheRestOfAChunkThatRuns) {
  // On a busy machine one of them may begin so late that the other one has stolen from it, or is done.
  bool is_taken = false;
  for (int tries = 0; tries < 10 && !is_taken; ++tries) {
    Scheduler scheduler(test::host_devices(2));
    std::vector<std::atomic<int>> runs(2000);
    JobOptions options;
    options.granule_items = 1;
    options.policy = "fixed:1000";
    options.repeat = Repeat::forbidden;
    const auto body = [&](std::uint64_t i) {
      if (i < 1000) std::this_thread::sleep_for(1ms);
      ++runs[i];
    };
    const Report report = scheduler.parallel_for(runs.size(), body, options);
    ASSERT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& count) { return count == 1; }));
    is_taken = report.devices[1].items > 1000 && report.devices[1].steals == 0;
  }
  EXPECT_TRUE(is_taken);
}

}  // namespace
}  // namespace skua
