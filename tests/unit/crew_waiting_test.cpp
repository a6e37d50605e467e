// When a call has returned or thrown, nothing of its Job runs any more; and what is said of devices that hang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <skua/scheduler.hpp>

#include "support/asynchronous_device.hpp"
#include "support/devices.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

/// The time that the caller waited, and what the Report says of it.
double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Scheduler impatient(Devices devices) {
  SchedulerOptions options;
  options.patience = 50ms;
  return Scheduler(std::move(devices), options);
}

Devices asynchronous(unsigned count) {
  Devices devices;
  for (unsigned i = 0; i < count; ++i) {
    devices.push_back(std::make_unique<test::AsynchronousDevice>("asynchronous:" + std::to_string(i)));
  }
  return devices;
}

TEST(TheCaller, WaitsUntilABodyOfTheHostHasEndedHoweverImpatient) {
  Scheduler scheduler = impatient(test::host_devices(2));
  JobOptions options;
  options.granule_items = 1;
  options.cancellation.emplace();
  std::atomic<int> inside{0};
  const Report report = scheduler.parallel_for(
      8,
      [&, cancel = *options.cancellation](std::uint64_t) {
        ++inside;
        cancel.request();
        std::this_thread::sleep_for(300ms);
        --inside;
      },
      options);
  EXPECT_EQ(inside, 0);
  EXPECT_TRUE(report.cancelled);
  EXPECT_EQ(scheduler.parallel_for(8, [](std::uint64_t) {}).items_done, 8u);
}

TEST(TheCaller, WaitsUntilAllBodiesHaveEndedWhenOneThrew) {
  Scheduler scheduler = impatient(test::host_devices(2));
  JobOptions options;
  options.granule_items = 1;
  std::atomic<int> inside{0};
  std::atomic<bool> other_began{false};
  EXPECT_THROW(scheduler.parallel_for(
                   2,
                   [&](std::uint64_t i) {
                     ++inside;
                     if (i == 0) {
                       while (!other_began) std::this_thread::yield();
                       --inside;
                       throw std::runtime_error("at once");
                     }
                     other_began = true;
                     std::this_thread::sleep_for(300ms);
                     --inside;
                   },
                   options),
               BodyError);
  EXPECT_EQ(inside, 0);
}

TEST(TheCaller, WaitsForWhatCopiesHaveReplacedAsPartOfTheMakespan) {
  Devices devices = asynchronous(2);
  Scheduler scheduler(std::move(devices));
  std::atomic<bool> slow{true};
  std::atomic<int> inside{0};
  const auto begin = std::chrono::steady_clock::now();
  const auto sum = scheduler.parallel_reduce(4, std::uint64_t{0}, [&](std::uint64_t) {
    ++inside;
    if (slow.exchange(false)) std::this_thread::sleep_for(600ms);
    --inside;
    return std::uint64_t{1};
  });
  EXPECT_EQ(inside, 0) << "the body may read what is the caller's";
  EXPECT_EQ(sum.value, 4u);
  EXPECT_NEAR(sum.report.makespan_s, seconds_since(begin), 0.3);
  EXPECT_GT(sum.report.waited_s, 0.1);
  EXPECT_THAT(sum.report.notes, testing::Contains(testing::HasSubstr("asynchronous:")));
}

/// Granules of seven items that the Report calls not done, though all of their items ran; and items that it calls done,
/// though they did not.
void expect_the_truth(const Report& report, const std::vector<std::atomic<int>>& runs) {
  std::vector<bool> is_done(runs.size(), true);
  for (const ItemRange& range : report.not_done) {
    for (std::uint64_t begin = range.begin; begin < range.end; begin += 7) {
      const std::uint64_t end = std::min<std::uint64_t>(begin + 7, range.end);
      bool whole = true;
      for (std::uint64_t i = begin; i < end; ++i) {
        is_done[i] = false;
        whole = whole && runs[i] > 0;
      }
      EXPECT_FALSE(whole) << "granule at " << begin << " was run whole";
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_TRUE(!is_done[i] || runs[i] >= 1) << i;
}

TEST(Cancelling, LeavesOutExactlyWhatWasNotRunWhole) {
  std::mt19937 random(1);
  for (const bool own_threads : {false, true}) {
    Scheduler scheduler(own_threads ? asynchronous(2) : test::host_devices(2));
    for (int round = 0; round < 60; ++round) {
      JobOptions options;
      options.granule_items = 7;
      options.cancellation.emplace();
      options.policy = round % 2 == 0 ? "factoring" : "static";
      options.repeat = round % 3 == 0 ? Repeat::allowed : Repeat::forbidden;
      std::vector<std::atomic<int>> runs(5000);
      const auto at = static_cast<std::uint64_t>(random() % runs.size());
      const Report report = scheduler.parallel_for(
          runs.size(),
          [&, cancel = *options.cancellation](std::uint64_t i) {
            if (i == at) cancel.request();
            if (i % 64 == 0) std::this_thread::sleep_for(10us);
            ++runs[i];
          },
          options);
      expect_the_truth(report, runs);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        EXPECT_TRUE(options.repeat == Repeat::allowed || runs[i] <= 1) << i;
      }
      if (HasFailure()) FAIL() << "round " << round;
    }
  }
}

TEST(Cancelling, CountsChunksOfLaunchThatEndedWhole) {
  Scheduler scheduler(test::host_devices(2));
  for (int round = 0; round < 20; ++round) {
    JobOptions options;
    options.policy = "fixed:10";
    options.cancellation.emplace();
    std::atomic<std::uint64_t> items{0};
    const Report report = scheduler.launch(
        10'000,
        [&, cancel = *options.cancellation](const Chunk& chunk) {
          if (chunk.begin > 500) cancel.request();
          std::this_thread::sleep_for(100us);
          items += chunk.items();
        },
        options);
    EXPECT_EQ(report.items_done, items);
  }
}

TEST(Errors, CarryTheReportOfWhatWasDone) {
  Scheduler scheduler(test::host_devices(1));
  JobOptions options;
  options.granule_items = 1;
  try {
    scheduler.parallel_for(
        100,
        [](std::uint64_t i) {
          if (i == 40) throw std::runtime_error("forty");
        },
        options);
    FAIL();
  } catch (const BodyError& error) {
    EXPECT_EQ(error.report().items, 100u);
    EXPECT_FALSE(error.report().cancelled);
    std::uint64_t not_done = 0;
    bool lists_forty = false;
    for (const ItemRange& range : error.report().not_done) {
      not_done += range.end - range.begin;
      lists_forty = lists_forty || (range.begin <= 40 && 40 < range.end);
    }
    EXPECT_TRUE(lists_forty);
    EXPECT_EQ(error.report().items_done + not_done, 100u);
  }
}

TEST(Errors, LeaveOutExactlyWhatWasNotRunWholeWhenABodyThrew) {
  std::mt19937 random(1);
  std::vector<Devices> machines;
  machines.push_back(test::host_devices(2));
  machines.push_back(open_devices("host", Topology{}, test::steady_clock()));
  machines.push_back(asynchronous(2));
  for (Devices& machine : machines) {
    Scheduler scheduler(std::move(machine));
    for (int round = 0; round < 40; ++round) {
      JobOptions options;
      options.granule_items = 7;
      options.policy = round % 2 == 0 ? "factoring" : "static";
      options.repeat = round % 3 == 0 ? Repeat::allowed : Repeat::forbidden;
      std::vector<std::atomic<int>> runs(5000);
      const auto at = static_cast<std::uint64_t>(random() % runs.size());
      try {
        scheduler.parallel_for(
            runs.size(),
            [&](std::uint64_t i) {
              if (i == at) throw std::runtime_error("once");
              if (i % 64 == 0) std::this_thread::sleep_for(10us);
              ++runs[i];
            },
            options);
        FAIL() << "item " << at << " throws";
      } catch (const BodyError& error) {
        expect_the_truth(error.report(), runs);
      }
      if (HasFailure()) FAIL() << scheduler.device(0).name << ", round " << round;
    }
  }
}

struct Hanging {
  explicit Hanging(unsigned launch, bool ends_when_dropped = false) {
    Devices devices = test::host_devices(2);
    auto hanging = std::make_unique<test::HangingDevice>(std::move(devices[1]), launch, ends_when_dropped);
    device = hanging.get();
    devices[1] = std::move(hanging);
    SchedulerOptions options;
    options.patience = 50ms;
    scheduler.emplace(std::move(devices), options);
  }
  ~Hanging() {
    if (scheduler) device->release();
  }
  test::HangingDevice* device = nullptr;
  std::optional<Scheduler> scheduler;
};

void expect_it_takes_part_again(Hanging& hanging) {
  for (int tries = 0; tries < 200; ++tries) {
    const Report report =
        hanging.scheduler->parallel_for(2000, [](std::uint64_t) { std::this_thread::sleep_for(1us); });
    EXPECT_EQ(report.items_done, 2000u);
    if (report.devices[1].items > 0) return;
    std::this_thread::sleep_for(5ms);
  }
  FAIL() << "the device that came back was never used again";
}

TEST(AHangingDevice, IsNamedInTheReportWhenAllWasDoneWithoutIt) {
  Hanging hanging(2);
  const auto sum = hanging.scheduler->parallel_reduce(5000, 0.0, [](std::uint64_t i) {
    std::this_thread::sleep_for(1us);
    return static_cast<double>(i);
  });
  EXPECT_EQ(sum.report.items_done, 5000u);
  EXPECT_TRUE(sum.report.devices[1].failed);
  EXPECT_NE(sum.report.devices[1].failure.find("must stay alive"), std::string::npos) << sum.report.devices[1].failure;
  hanging.device->release();
  expect_it_takes_part_again(hanging);
}

TEST(AHangingDevice, IsAnErrorOfItsOwnWhenTheJobWasCancelled) {
  Hanging hanging(1);
  JobOptions options;
  options.granule_items = 1;
  options.cancellation.emplace();
  try {
    hanging.scheduler->parallel_for(
        1000,
        [cancel = *options.cancellation](std::uint64_t i) {
          if (i == 100) cancel.request();
          std::this_thread::sleep_for(20us);
        },
        options);
    FAIL() << "it hangs";
  } catch (const DeviceHangs& error) {
    EXPECT_NE(std::string(error.what()).find("host:1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("must stay alive"), std::string::npos) << error.what();
    EXPECT_LT(error.report().items_done, 1000u);
    EXPECT_FALSE(error.ended());
    hanging.device->release();
    for (int tries = 0; tries < 2000 && !error.ended(); ++tries) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(error.ended());
  }
  expect_it_takes_part_again(hanging);
}

TEST(AHangingDevice, EndsAJobThatMayNotRepeatAnythingWithAnErrorOfItsOwn) {
  Hanging hanging(4);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:10";
  EXPECT_THROW(hanging.scheduler->parallel_for(
                   2000, [](std::uint64_t) { std::this_thread::sleep_for(10us); }, options),
               DeviceHangs);
}

TEST(AHangingDevice, ThatStopsWhenItsJobIsStoppedIsAnErrorAllTheSame) {
  Hanging hanging(4, true);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:1";  // of more than one granule others would be given the rest
  try {
    hanging.scheduler->parallel_for(
        2000, [](std::uint64_t) { std::this_thread::sleep_for(10us); }, options);
    FAIL() << "not everything was done";
  } catch (const DeviceHangs& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("device host:1 hung: it did not end items ["));
    EXPECT_TRUE(error.ended());
    EXPECT_LT(error.report().items_done, 2000u);
    EXPECT_FALSE(error.report().not_done.empty());
  }
}

TEST(AHangingDevice, DoesNotKeepASchedulerFromEnding) {
  Hanging hanging(1);
  JobOptions options;
  options.cancellation.emplace();
  options.granule_items = 1;
  EXPECT_THROW(hanging.scheduler->parallel_for(
                   1000,
                   [cancel = *options.cancellation](std::uint64_t i) {
                     if (i == 100) cancel.request();
                     std::this_thread::sleep_for(20us);
                   },
                   options),
               DeviceHangs);
  const auto begin = std::chrono::steady_clock::now();
  hanging.scheduler.reset();
  EXPECT_LT(seconds_since(begin), 5);
}

TEST(Progress, ThatThrewLeavesNothingOfItsJobBehind) {
  Scheduler scheduler(test::host_devices(1));
  const auto captured = std::make_shared<int>(1);
  JobOptions options;
  options.progress = [](const Progress&) { throw std::runtime_error("display gone"); };
  EXPECT_THROW(scheduler.parallel_for(
                   1000, [captured](std::uint64_t) { std::this_thread::sleep_for(20us); }, options),
               std::runtime_error);
  EXPECT_EQ(captured.use_count(), 1);
}

}  // namespace
}  // namespace skua
