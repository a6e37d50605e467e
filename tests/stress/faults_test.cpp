// Eight threads start Jobs over one Scheduler, cancel them at random moments, and devices fail in every way: nothing is
// lost, nothing is run twice, and nothing of a Job runs once its call has ended.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <skua/scheduler.hpp>

#include "../support/asynchronous_device.hpp"
#include "../support/devices.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

enum class Fault { none, slow, refusing, hanging, throwing };

void PrintTo(Fault fault, std::ostream* stream) {
  *stream << static_cast<int>(fault);
}

struct Machine {
  explicit Machine(Fault fault) {
    Devices devices = test::host_devices(2);
    devices.push_back(std::make_unique<test::AsynchronousDevice>("asynchronous"));
    std::unique_ptr<Device>& odd = devices[1];
    if (fault == Fault::slow) odd = std::make_unique<test::SlowDevice>(std::move(odd), 4.0);
    if (fault == Fault::refusing) odd = std::make_unique<test::RefusingDevice>(std::move(odd), 20);
    if (fault == Fault::throwing) odd = std::make_unique<test::ThrowingDevice>(std::move(odd), 20);
    if (fault == Fault::hanging) {
      auto hanging = std::make_unique<test::HangingDevice>(std::move(odd), 1);
      hangs = hanging.get();
      odd = std::move(hanging);
    }
    SchedulerOptions options;
    options.patience = 20ms;
    scheduler.emplace(std::move(devices), options);
  }
  ~Machine() {
    if (hangs != nullptr) hangs->release();
  }
  test::HangingDevice* hangs = nullptr;
  std::optional<Scheduler> scheduler;
};

/// One Job with everything that it touches on this frame: what runs after its end is found by the sanitizers, or here.
class OneJob {
 public:
  OneJob(Machine& machine, std::uint64_t seed) : machine_(machine), random_(seed), runs_(200 + seed % 800) {}

  void run() {
    JobOptions options;
    options.granule_items = 1 + random_() % 8;
    options.policy = random_() % 3 == 0 ? "fixed:16" : "factoring";
    options.repeat = machine_.hangs != nullptr || random_() % 2 == 0 ? Repeat::allowed : Repeat::forbidden;
    options.cancellation.emplace();
    const std::uint64_t cancels_at = random_() % (2 * runs_.size());
    const std::uint64_t throws_at = random_() % (8 * runs_.size());
    Report report;
    bool threw = false;
    try {
      report = machine_.scheduler->parallel_for(
          runs_.size(),
          [&, cancel = *options.cancellation](std::uint64_t i) {
            ++inside_;
            if (i == cancels_at) cancel.request();
            if (i == throws_at) {
              --inside_;
              throw std::runtime_error("stress");
            }
            ++runs_[i];
            --inside_;
          },
          options);
    } catch (const DeviceHangs& error) {
      // Its device may still run the body: nothing of this frame may go before that.
      report = error.report();
      threw = true;
      machine_.hangs->release();
      while (!error.ended()) std::this_thread::sleep_for(1ms);
    } catch (const JobError& error) {
      report = error.report();
      threw = true;
    }
    check(report, threw, options.repeat == Repeat::allowed);
  }

 private:
  void check(const Report& report, bool threw, bool repeatable) {
    const bool was_given_up = machine_.hangs != nullptr && report.devices.at(1).failed;
    if (!was_given_up) {
      EXPECT_EQ(inside_, 0);
    }
    EXPECT_EQ(report.items, runs_.size());
    std::uint64_t not_done = 0;
    std::vector<bool> is_done(runs_.size(), true);
    for (const ItemRange& range : report.not_done) {
      not_done += range.end - range.begin;
      for (std::uint64_t i = range.begin; i < range.end; ++i) is_done[i] = false;
    }
    EXPECT_EQ(report.items_done + not_done, report.items);
    EXPECT_TRUE(not_done == 0 || report.cancelled || threw);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      EXPECT_TRUE(!is_done[i] || runs_[i] >= 1) << i << " was said to be done";
      EXPECT_TRUE(repeatable || runs_[i] <= 1) << i << " ran " << runs_[i];
    }
    // What a hanging device gave up on may still touch these: it is let go, and waited for.
    if (!was_given_up) return;
    machine_.hangs->release();
    while (inside_ > 0) std::this_thread::sleep_for(1ms);
  }

  Machine& machine_;
  std::mt19937_64 random_;
  std::vector<std::atomic<int>> runs_;
  std::atomic<int> inside_{0};
};

class StressOfFaults : public testing::TestWithParam<Fault> {};

TEST_P(StressOfFaults, OfManyThreadsCancelsAndFaultsLosesNothing) {
  constexpr int threads_count = 8;
  const bool hangs = GetParam() == Fault::hanging;
  const int jobs_each = hangs ? 1 : 30;
  int hung = 0;
  for (std::uint64_t round = 0; round < (hangs ? 12 : 1); ++round) {
    Machine machine(GetParam());
    std::vector<std::thread> threads;
    for (int t = 0; t < threads_count; ++t) {
      threads.emplace_back([&, t] {
        for (int k = 0; k < jobs_each; ++k) {
          OneJob(machine, round * 10'000 + static_cast<std::uint64_t>(t) * 100 + static_cast<std::uint64_t>(k)).run();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    hung += hangs && machine.hangs->has_hung() ? 1 : 0;
  }
  if (hangs) {
    EXPECT_GE(hung, 1) << "on a busy machine its thread may come too late for many Jobs, but not for all";
  }
}

std::string name_of(const testing::TestParamInfo<Fault>& fault) {
  static const std::vector<std::string> names = {"None", "Slow", "Refusing", "Hanging", "Throwing"};
  return names.at(static_cast<std::size_t>(fault.param));
}

INSTANTIATE_TEST_SUITE_P(Faults, StressOfFaults,
                         testing::Values(Fault::none, Fault::slow, Fault::refusing, Fault::hanging, Fault::throwing),
                         name_of);

TEST(Cancels, AThousandFromOutsideEndWithinTheirJob) {
  Devices devices = test::host_devices(2);
  devices.push_back(std::make_unique<test::AsynchronousDevice>("asynchronous"));
  Scheduler scheduler(std::move(devices));
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::atomic<int>> runs(400);
    std::atomic<int> inside{0};
    JobOptions options;
    options.granule_items = 4;
    options.cancellation.emplace();
    const auto wait = std::chrono::microseconds(random() % 300);
    std::thread canceller([&, cancel = *options.cancellation] {
      std::this_thread::sleep_for(wait);
      cancel.request();
    });
    const Report report = scheduler.parallel_for(
        runs.size(),
        [&](std::uint64_t i) {
          ++inside;
          ++runs[i];
          --inside;
        },
        options);
    EXPECT_EQ(inside, 0);
    std::uint64_t ran = 0;
    for (const auto& count : runs) ran += static_cast<std::uint64_t>(count);
    EXPECT_EQ(ran, report.items_done) << "granules are run whole, or not at all, where nothing is dropped within one";
    canceller.join();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace skua
