// Jobs from start to end: errors, cancels, failing and hanging devices, what is remembered.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include <skua/input.hpp>
#include <skua/scheduler.hpp>

#include "../support/asynchronous_device.hpp"
#include "../support/devices.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

Scheduler on_host(unsigned devices) {
  return Scheduler(test::host_devices(devices));
}

void work_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(Scheduler, RethrowsWhatABodyThrewWithDeviceAndItems) {
  Scheduler scheduler = on_host(4);
  JobOptions options;
  options.granule_items = 10;
  options.policy = "fixed:10";
  try {
    scheduler.parallel_for(
        1000,
        [](std::uint64_t i) {
          if (i == 375) throw std::out_of_range("no such cell");
        },
        options);
    FAIL() << "nothing was thrown";
  } catch (const BodyError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("device host:"), std::string::npos) << message;
    EXPECT_NE(message.find("[370, 380)"), std::string::npos) << message;
    EXPECT_NE(message.find("no such cell"), std::string::npos) << message;
    EXPECT_THROW(std::rethrow_if_nested(error), std::out_of_range);
  }
  EXPECT_EQ(scheduler.parallel_for(1000, [](std::uint64_t) {}).items_done, 1000u) << "the next Job must succeed";
}

TEST(Scheduler, ReportsABodyThatThrowsSomethingThatIsNoException) {
  Scheduler scheduler = on_host(2);
  EXPECT_THROW(scheduler.parallel_for(100,
                                      [](std::uint64_t i) {
                                        if (i == 37) throw 5;
                                      }),
               BodyError);
}

TEST(Scheduler, CountsTheFailuresAfterTheFirst) {
  Scheduler scheduler = on_host(2);
  std::atomic<int> entered{0};
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:1";
  try {
    scheduler.parallel_for(
        2,
        [&](std::uint64_t) {
          ++entered;
          for (int i = 0; i < 1000 && entered < 2; ++i) std::this_thread::sleep_for(1ms);
          throw std::runtime_error("both");
        },
        options);
    FAIL();
  } catch (const BodyError& error) {
    EXPECT_NE(std::string(error.what()).find("(and 1 more)"), std::string::npos) << error.what();
  }
}

TEST(Scheduler, RefusesAJobFromInsideABody) {
  Scheduler scheduler = on_host(2);
  std::atomic<int> refused{0};
  scheduler.parallel_for(64, [&](std::uint64_t) {
    try {
      scheduler.parallel_for(8, [](std::uint64_t) {});
    } catch (const std::logic_error&) {
      ++refused;
    }
  });
  EXPECT_EQ(refused, 64);
}

TEST(Scheduler, SaysWhatWasDoneWhenABodyCancels) {
  Scheduler scheduler = on_host(2);
  JobOptions options;
  options.cancellation.emplace();
  options.granule_items = 1;
  options.policy = "fixed:4";
  std::vector<std::atomic<int>> runs(10'000);
  const Report report = scheduler.parallel_for(
      runs.size(),
      [&, cancel = *options.cancellation](std::uint64_t i) {
        if (i == 50) cancel.request();
        work_for(50us);
        ++runs[i];
      },
      options);
  EXPECT_TRUE(report.cancelled);
  EXPECT_LT(report.items_done, report.items);
  std::uint64_t not_done = 0;
  std::vector<bool> done(runs.size(), true);
  for (const ItemRange& range : report.not_done) {
    not_done += range.end - range.begin;
    std::fill(done.begin() + static_cast<std::ptrdiff_t>(range.begin),
              done.begin() + static_cast<std::ptrdiff_t>(range.end), false);
  }
  EXPECT_EQ(report.items_done + not_done, report.items);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (done[i]) {
      EXPECT_EQ(runs[i], 1) << i;
    } else {
      EXPECT_LE(runs[i], 1) << i;
    }
  }
}

TEST(Scheduler, CancelsFromAnotherThreadWithinAGranule) {
  Scheduler scheduler = on_host(2);
  JobOptions options;
  options.cancellation.emplace();
  options.granule_items = 1;
  std::thread canceller([cancel = *options.cancellation] {
    std::this_thread::sleep_for(50ms);
    cancel.request();
  });
  const auto begin = std::chrono::steady_clock::now();
  const Report report = scheduler.parallel_for(
      20'000, [](std::uint64_t) { work_for(1ms); }, options);
  canceller.join();
  EXPECT_TRUE(report.cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

TEST(Scheduler, KeepsTheGranulesThatARunningChunkHadDoneBeforeACancel) {
  Scheduler scheduler = on_host(1);
  JobOptions options;
  options.cancellation.emplace();
  options.granule_items = 1;
  options.policy = "static";
  std::atomic<std::uint64_t> runs{0};
  const Report report = scheduler.parallel_for(
      100'000,
      [&, cancel = *options.cancellation](std::uint64_t i) {
        if (i == 10) cancel.request();
        work_for(100us);
        ++runs;
      },
      options);
  EXPECT_TRUE(report.cancelled);
  EXPECT_GE(report.items_done, 10u);
  EXPECT_EQ(report.items_done, runs);
}

TEST(Scheduler, StartsNothingWhenTheCancelCameFirst) {
  Scheduler scheduler = on_host(2);
  JobOptions options;
  options.cancellation.emplace();
  options.cancellation->request();
  std::atomic<int> runs{0};
  const Report report = scheduler.parallel_for(
      100, [&](std::uint64_t) { ++runs; }, options);
  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(report.cancelled);
  ASSERT_EQ(report.not_done.size(), 1u);
  EXPECT_EQ(report.not_done[0], (ItemRange{0, 100}));
}

TEST(Scheduler, ReducesWhatWasDoneBeforeACancel) {
  Scheduler scheduler = on_host(2);
  JobOptions options;
  options.cancellation.emplace();
  options.granule_items = 1;
  options.policy = "fixed:1";
  const auto sum = scheduler.parallel_reduce(
      10'000, std::uint64_t{0},
      [cancel = *options.cancellation](std::uint64_t i) {
        if (i == 20) cancel.request();
        work_for(50us);
        return std::uint64_t{1};
      },
      Plus{}, options);
  EXPECT_TRUE(sum.report.cancelled);
  EXPECT_EQ(sum.value, sum.report.items_done);
}

TEST(Scheduler, GoesOnWithoutADeviceThatRefusesALaunch) {
  for (const unsigned failing : {1u, 2u, 5u}) {
    Devices devices = test::host_devices(3);
    devices[1] = std::make_unique<test::RefusingDevice>(std::move(devices[1]), failing);
    Scheduler scheduler(std::move(devices));
    std::vector<std::atomic<int>> runs(50'000);
    const Report report = scheduler.parallel_for(runs.size(), [&](std::uint64_t i) {
      work_for(1us);
      ++runs[i];
    });
    EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& count) { return count == 1; }));
    EXPECT_TRUE(report.devices[1].failed);
    EXPECT_NE(report.devices[1].failure.find("refused for the test"), std::string::npos) << report.devices[1].failure;
  }
}

TEST(Scheduler, NamesEveryDeviceWhenAllFail) {
  Devices devices = test::host_devices(2);
  for (auto& device : devices) device = std::make_unique<test::RefusingDevice>(std::move(device), 1);
  Scheduler scheduler(std::move(devices));
  try {
    scheduler.parallel_for(100, [](std::uint64_t) {});
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("host:0"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("host:1"), std::string::npos) << error.what();
  }
}

TEST(Scheduler, RunsTheChunkOfAHangingDeviceAgainWithTheSameBits) {
  const auto body = [](std::uint64_t i) {
    work_for(2us);
    return 1.0 / (1.0 + static_cast<double>(i));
  };
  JobOptions options;
  options.granule_items = 16;
  Scheduler healthy = on_host(1);
  const double expected = healthy.parallel_reduce(20'000, 0.0, body, Plus{}, options).value;
  for (const unsigned hanging : {1u, 3u}) {
    Devices devices = test::host_devices(3);
    devices[2] = std::make_unique<test::HangingDevice>(std::move(devices[2]), hanging);
    SchedulerOptions impatient;
    impatient.patience = 50ms;
    Scheduler scheduler(std::move(devices), impatient);
    const auto sum = scheduler.parallel_reduce(20'000, 0.0, body, Plus{}, options);
    EXPECT_EQ(sum.value, expected);
    EXPECT_TRUE(sum.report.devices[2].failed);
    EXPECT_EQ(sum.report.items_done, 20'000u);
    EXPECT_EQ(scheduler.parallel_reduce(20'000, 0.0, body, Plus{}, options).value, expected) << "without the device";
  }
}

TEST(Scheduler, DrivesDevicesThatCompleteOnTheirOwn) {
  Devices devices;
  for (const char* name : {"a", "b", "c"}) devices.push_back(std::make_unique<test::AsynchronousDevice>(name));
  Scheduler scheduler(std::move(devices));
  std::vector<std::atomic<int>> runs(30'011);
  const Report report = scheduler.parallel_for(runs.size(), [&](std::uint64_t i) { ++runs[i]; });
  EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& count) { return count == 1; }));
  EXPECT_EQ(report.items_done, runs.size());
}

TEST(Scheduler, SharesByMeasuredRates) {
  Devices devices = test::host_devices(2);
  devices[1] = std::make_unique<test::SlowDevice>(std::move(devices[1]), 4.0);
  Scheduler scheduler(std::move(devices));
  // A busy machine may be slower than the slow device.
  const auto are_right = [&] {
    const Report report = scheduler.parallel_for(20'000, [](std::uint64_t) { work_for(5us); });
    return report.devices[0].items > report.devices[1].items &&
           report.devices[0].items_per_second.value() > report.devices[1].items_per_second.value();
  };
  int tries = 1;
  while (!are_right() && tries < 10) ++tries;
  EXPECT_LT(tries, 10);
}

TEST(Scheduler, FindsOutThatADeviceIsFasterThanItSaid) {
  Devices devices = test::host_devices(2);
  devices[0] = std::make_unique<test::ModestDevice>(std::move(devices[0]));
  Scheduler scheduler(std::move(devices));
  const auto body = [](std::uint64_t) { work_for(20us); };
  EXPECT_GT(scheduler.parallel_for(2000, body).devices[0].items, 0u);
  EXPECT_GT(scheduler.parallel_for(2000, body).devices[0].items, 200u);
}

TEST(Scheduler, RunsJobsOfSeveralThreadsOneAfterAnother) {
  Scheduler scheduler = on_host(2);
  std::atomic<std::uint64_t> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k)
        total += scheduler.parallel_reduce(1000, std::uint64_t{0}, [](std::uint64_t) { return std::uint64_t{1}; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(total, 4u * 20 * 1000);
}

TEST(Scheduler, ReducesAnyTriviallyCopyableTypeWithItsCombination) {
  struct Extremes {
    std::uint64_t least;
    std::uint64_t most;
  };
  Scheduler scheduler = on_host(3);
  const auto both = scheduler.parallel_reduce(
      9999, Extremes{~std::uint64_t{0}, 0},
      [](std::uint64_t i) {
        return Extremes{i + 5, i + 5};
      },
      [](const Extremes& a, const Extremes& b) {
        return Extremes{std::min(a.least, b.least), std::max(a.most, b.most)};
      });
  EXPECT_EQ(both.value.least, 5u);
  EXPECT_EQ(both.value.most, 10'003u);
}

TEST(Scheduler, SumsFloatsInDouble) {
  Scheduler scheduler = on_host(2);
  EXPECT_EQ(scheduler.parallel_reduce((1u << 25) + 1, 0.0f, [](std::uint64_t) { return 1.0f; }).value, 33'554'433.0);
}

TEST(Scheduler, RefusesMoreGranulesThanAWordHolds) {
  Scheduler scheduler = on_host(1);
  JobOptions options;
  options.granule_items = 1;
  EXPECT_THROW(scheduler.launch(
                   std::uint64_t{1} << 32, [](const Chunk&) {}, options),
               InputError);
}

TEST(Scheduler, RefusesAnUnknownPolicyAndNamesThoseThereAre) {
  Scheduler scheduler = on_host(1);
  JobOptions options;
  options.policy = "magic";
  try {
    scheduler.parallel_for(
        10, [](std::uint64_t) {}, options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("magic"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("factoring"), std::string::npos);
  }
}

TEST(Scheduler, RefusesATraceFileThatCannotBeWritten) {
  SchedulerOptions options;
  options.trace = "/nonexistent-folder/trace.json";
  EXPECT_THROW(Scheduler(test::host_devices(1), options), InputError);
}

TEST(Scheduler, CallsProgressFromTheWaitingThread) {
  Scheduler scheduler = on_host(2);
  JobOptions options;
  std::vector<std::uint64_t> seen;
  const std::thread::id here = std::this_thread::get_id();
  options.progress_every = 5ms;
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    EXPECT_EQ(progress.items, 4000u);
    seen.push_back(progress.items_done);
  };
  scheduler.parallel_for(
      4000, [](std::uint64_t) { work_for(50us); }, options);
  EXPECT_GE(seen.size(), 2u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(Scheduler, PassesOnWhatAProgressCallbackThrows) {
  Scheduler scheduler = on_host(1);
  JobOptions options;
  options.progress_every = 1ms;
  options.progress = [](const Progress&) { throw std::runtime_error("display gone"); };
  EXPECT_THROW(scheduler.parallel_for(
                   4000, [](std::uint64_t) { work_for(50us); }, options),
               std::runtime_error);
  EXPECT_EQ(scheduler.parallel_for(10, [](std::uint64_t) {}).items_done, 10u);
}

TEST(DefaultGranule, DependsOnTheNumberOfItemsAlone) {
  EXPECT_EQ(default_granule_items(0), 1u);
  EXPECT_EQ(default_granule_items(8'192), 1u);
  EXPECT_EQ(default_granule_items(8'193), 2u);
  EXPECT_EQ(default_granule_items(std::uint64_t{1} << 63), std::uint64_t{1} << 50);
  EXPECT_EQ(default_granule_items(~std::uint64_t{0}), std::uint64_t{1} << 51);
}

}  // namespace
}  // namespace skua
