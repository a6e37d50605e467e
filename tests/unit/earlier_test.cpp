// What Jobs wait for, of whatever kind.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <skua/input.hpp>
#include <skua/scheduler.hpp>

#include "support/devices.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

/// Ends when the test says so.
class HeldWork final : public EarlierWork {
 public:
  bool has_ended() const noexcept override {
    ++looks;
    return ended;
  }
  std::atomic<bool> ended{false};
  mutable std::atomic<int> looks{0};
};

/// Its handles are held work, or null where there is none.
class HeldQueues final : public AwaitedKind {
 public:
  std::shared_ptr<const EarlierWork> unfinished(void* handle, std::vector<std::string>& notes) const override {
    ++asked;
    if (!why_not.empty()) throw std::runtime_error(why_not);
    if (!note.empty()) notes.push_back(note);
    if (handle == nullptr) return nullptr;
    return *static_cast<std::shared_ptr<HeldWork>*>(handle);
  }
  std::string why_not;
  std::string note;
  mutable int asked = 0;
};

/// A device on which the program has queued something; it may be able to wait for that by itself.
class QueuedDevice final : public test::PassingDevice {
 public:
  QueuedDevice(std::unique_ptr<Device> inner, Awaited queue, bool can_wait)
      : PassingDevice(std::move(inner)), queue_(queue), can_wait_(can_wait) {}
  Awaited default_queue() const noexcept override { return queue_; }
  bool can_wait_for(const EarlierWork&) const noexcept override { return can_wait_; }
  void wait_for(const std::shared_ptr<const EarlierWork>& work) override {
    ++waits;
    EXPECT_NE(work, nullptr);
  }
  std::atomic<int> waits{0};

 private:
  Awaited queue_;
  bool can_wait_;
};

class EarlierWorkOfOthers : public testing::Test {
 protected:
  Awaited held() { return {&queues, &work}; }
  /// Says after a while that the work has ended.
  std::thread ends_soon() {
    return std::thread([this] {
      std::this_thread::sleep_for(30ms);
      work->ended = true;
    });
  }

  HeldQueues queues;
  std::shared_ptr<HeldWork> work = std::make_shared<HeldWork>();
};

TEST_F(EarlierWorkOfOthers, HoldsBodiesOnTheHostBackUntilItHasEnded) {
  Scheduler scheduler(test::host_devices(2));
  std::thread ends = ends_soon();
  JobOptions options;
  options.after = {held()};
  std::atomic<int> too_early{0};
  const Report report = scheduler.parallel_for(
      1'000, [&](std::uint64_t) { too_early += work->ended ? 0 : 1; }, options);
  ends.join();
  EXPECT_EQ(report.items_done, 1'000u);
  EXPECT_EQ(too_early, 0);
  EXPECT_EQ(work.use_count(), 1) << "somebody holds it after the Job";
}

TEST_F(EarlierWorkOfOthers, IsAskedForOnceByDevicesThatShareAQueueAndHoldsAllOfThemBack) {
  Devices devices;
  for (auto& device : test::host_devices(3)) {
    devices.push_back(std::make_unique<QueuedDevice>(std::move(device), held(), false));
  }
  Scheduler scheduler(std::move(devices));
  std::thread ends = ends_soon();
  std::atomic<int> too_early{0};
  scheduler.parallel_for(1'000, [&](std::uint64_t) { too_early += work->ended ? 0 : 1; });
  ends.join();
  EXPECT_EQ(too_early, 0);
  EXPECT_EQ(queues.asked, 1);
}

TEST_F(EarlierWorkOfOthers, IsLeftToADeviceThatCanWaitByItself) {
  Devices devices = test::host_devices(1);
  auto queued = std::make_unique<QueuedDevice>(std::move(devices[0]), held(), true);
  const QueuedDevice& device = *queued;
  devices[0] = std::move(queued);
  Scheduler scheduler(std::move(devices));
  scheduler.parallel_for(100, [](std::uint64_t) {});
  EXPECT_EQ(device.waits, 1) << "before it ran anything";
  EXPECT_FALSE(work->ended);
  work->ended = true;
}

TEST_F(EarlierWorkOfOthers, LeavesAJobThatIsCancelledMeanwhile) {
  Scheduler scheduler(test::host_devices(2));
  JobOptions options;
  options.after = {held()};
  options.cancellation.emplace();
  std::thread cancels([&] {
    std::this_thread::sleep_for(10ms);
    options.cancellation->request();
  });
  const Report report = scheduler.parallel_for(
      100, [](std::uint64_t) { ADD_FAILURE() << "it ran"; }, options);
  cancels.join();
  EXPECT_TRUE(report.cancelled);
  EXPECT_EQ(report.items_done, 0u);
}

TEST_F(EarlierWorkOfOthers, IsLookedAtSeldomWhereItTakesLong) {
  Scheduler scheduler(test::host_devices(1));
  std::thread ends([this] {
    std::this_thread::sleep_for(200ms);
    work->ended = true;
  });
  JobOptions options;
  options.after = {held()};
  const Report report = scheduler.parallel_for(
      10, [](std::uint64_t) {}, options);
  ends.join();
  EXPECT_LT(work->looks, 400);
  std::string notes;
  for (const std::string& note : report.notes) notes += note;
  EXPECT_NE(notes.find("had queued"), std::string::npos) << notes;
}

TEST_F(EarlierWorkOfOthers, IsNamedInErrorsWhereItCannotBeWaitedFor) {
  Scheduler scheduler(test::host_devices(1));
  JobOptions options;
  options.after = {{&queues, nullptr}, {&queues, nullptr}, {}};
  EXPECT_THROW(scheduler.parallel_for(
                   10, [](std::uint64_t) {}, options),
               InputError);
  options.after.pop_back();
  queues.why_not = "it is gone";
  try {
    scheduler.parallel_for(
        10, [](std::uint64_t) { ADD_FAILURE() << "it ran"; }, options);
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "JobOptions::after[0]: it is gone");
  }
}

TEST_F(EarlierWorkOfOthers, IsNoReasonToFailWhereADevicesOwnQueueCannotBeLookedAt) {
  Devices devices = test::host_devices(1);
  devices[0] = std::make_unique<QueuedDevice>(std::move(devices[0]), held(), false);
  Scheduler scheduler(std::move(devices));
  queues.why_not = "it is gone";
  const Report report = scheduler.parallel_for(10, [](std::uint64_t) {});
  EXPECT_EQ(report.items_done, 10u);
  std::string notes;
  for (const std::string& note : report.notes) notes += note + "\n";
  EXPECT_NE(notes.find("was not waited for: it is gone"), std::string::npos) << notes;
}

}  // namespace
}  // namespace skua
