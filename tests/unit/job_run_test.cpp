// A Job over its devices, stepped by hand: parts of loops, granules received, and who drives its end.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <typeinfo>
#include <utility>
#include <vector>

#include <run/worker_list.hpp>
#include <skua/detail/loop_kernels.hpp>
#include <skua/input.hpp>
#include <skua/job_errors.hpp>
#include <skua/reduction.hpp>

#include "support/asynchronous_device.hpp"
#include "support/devices.hpp"

namespace skua {
namespace {

class Listener final : public JobListener {
 public:
  void changed() noexcept override { ++changes; }
  bool may_end() override { return lets_it_end; }
  std::atomic<int> changes{0};
  bool lets_it_end = true;
};

/// Host devices that are stepped in turn on this thread.
class Stepped {
 public:
  explicit Stepped(unsigned count) : Stepped(test::host_devices(count)) {}
  explicit Stepped(Devices devices)
      : devices_(std::move(devices)), nearness_(infos(), Topology{}), memory(devices_.size()), set{{}, nearness_} {
    for (const auto& device : devices_) set.entries.push_back({*device});
  }

  std::shared_ptr<JobRun> start(JobRequest request) {
    return std::make_shared<JobRun>(std::move(request), set, memory, test::steady_clock(), listener);
  }

  /// Until it is over and nothing of it runs, or nobody has anything to do.
  void drive(const std::shared_ptr<JobRun>& job) {
    std::vector<WorkerList> lists;
    for (std::uint32_t i = 0; i < devices_.size(); ++i) {
      lists.emplace_back(*devices_[i], i, test::steady_clock());
      if (job->takes_part(i)) lists.back().add(job);
    }
    for (bool any = true; any;) {
      any = false;
      for (WorkerList& list : lists) {
        const Step::Wait wait = list.step().wait;
        any = wait == Step::Wait::nothing || wait == Step::Wait::completion || any;
      }
    }
  }

 private:
  std::vector<const DeviceInfo*> infos() const {
    std::vector<const DeviceInfo*> all;
    for (const auto& device : devices_) all.push_back(&device->info());
    return all;
  }

  Devices devices_;
  Nearness nearness_;

 public:
  RateMemory memory;
  DeviceSet set;
  Listener listener;
};

template <class Body>
JobRequest sum_of(std::uint64_t items, std::uint64_t granule_items, Body body) {
  JobRequest request;
  request.items = items;
  request.granule_items = granule_items;
  request.kernel = std::make_shared<ReduceKernel<std::uint64_t, Body, Plus>>(body, Plus{});
  request.repeatable = true;
  return request;
}

std::uint64_t value(const JobRun& job) {
  return combine_partials(job.partials(), std::uint64_t{0}, Plus{});
}

TEST(JobRun, RunsAPartOfALargerLoop) {
  Stepped machine(2);
  JobRequest request = sum_of(1000, 10, [](std::uint64_t i) { return i; });
  request.own = Interval{20, 30};
  const auto job = machine.start(request);
  machine.drive(job);
  EXPECT_TRUE(job->is_over());
  EXPECT_EQ(job->check_exactly_once(), "");
  EXPECT_EQ(value(*job), (200 + 299) * 100u / 2);
  const Report report = job->report(0, 1);
  EXPECT_EQ(report.items_done, 100u);
  EXPECT_TRUE(report.not_done.empty());
}

TEST(JobRun, TakesMoreGranulesInUntilItIsLetEnd) {
  Stepped machine(2);
  machine.listener.lets_it_end = false;
  JobRequest request = sum_of(1000, 10, [](std::uint64_t i) { return i; });
  request.own = Interval{0, 10};
  const auto job = machine.start(request);
  machine.drive(job);
  EXPECT_FALSE(job->is_over()) << "its listener may have more";
  job->receive({90, 100});
  job->receive({40, 41});
  machine.drive(job);
  EXPECT_FALSE(job->is_over());
  machine.listener.lets_it_end = true;
  job->ask_for_end();
  EXPECT_TRUE(job->is_over());
  machine.drive(job);
  EXPECT_EQ(job->check_exactly_once(), "");
  EXPECT_EQ(value(*job), 99 * 100u / 2 + (900 + 999) * 100u / 2 + (400 + 409) * 10u / 2);
}

TEST(JobRun, SaysInItemOrderWhatIsNotDoneHoweverItCame) {
  Stepped machine(1);
  JobRequest request = sum_of(1000, 10, [](std::uint64_t i) { return i; });
  request.own = Interval{50, 60};
  const auto job = machine.start(request);
  job->receive({90, 100});
  job->receive({40, 41});
  job->stop(Stop::cancelled);
  EXPECT_EQ(job->report(0, 0).not_done, (std::vector<ItemRange>{{400, 410}, {500, 600}, {900, 1000}}));
}

TEST(JobRun, CanBeginWithNothingOfItsOwn) {
  Stepped machine(1);
  machine.listener.lets_it_end = false;
  JobRequest request = sum_of(100, 10, [](std::uint64_t i) { return i; });
  request.own = Interval{0, 0};
  const auto job = machine.start(request);
  machine.drive(job);
  EXPECT_FALSE(job->is_over());
  machine.listener.lets_it_end = true;
  job->receive({0, 10});
  machine.drive(job);
  EXPECT_TRUE(job->is_over());
  EXPECT_EQ(value(*job), 99 * 100u / 2);
}

TEST(JobRun, CountsWhatAnybodyCompleted) {
  Stepped machine(1);
  const auto job = machine.start(sum_of(100, 10, [](std::uint64_t i) { return i; }));
  job->complete(0, {0, 10}, 5);
  EXPECT_TRUE(job->is_over());
  EXPECT_EQ(job->check_exactly_once(), "");
}

TEST(JobRun, KnowsWhenAGranuleWasCountedTwiceOrNever) {
  Stepped machine(1);
  const auto twice = machine.start(sum_of(100, 10, [](std::uint64_t i) { return i; }));
  twice->complete(0, {0, 6}, 5);
  twice->complete(0, {5, 9}, 5);
  EXPECT_NE(twice->check_exactly_once().find("twice"), std::string::npos);
  const auto never = machine.start(sum_of(100, 10, [](std::uint64_t i) { return i; }));
  never->complete(0, {0, 6}, 5);
  EXPECT_NE(never->check_exactly_once().find("granule 6 was not run"), std::string::npos);
}

TEST(JobRun, RefusesWhatCannotBeRunBeforeAnythingRuns) {
  Stepped machine(1);
  JobRequest none;
  none.items = 5;
  EXPECT_THROW(machine.start(none), InputError);
  JobRequest many = sum_of(std::uint64_t{1} << 31, 1, [](std::uint64_t i) { return i; });
  many.items = std::uint64_t{1} << 31;
  EXPECT_THROW(machine.start(many), InputError) << "16 GiB of results";
  JobRequest magic = sum_of(5, 1, [](std::uint64_t i) { return i; });
  magic.policy = "magic";
  EXPECT_THROW(machine.start(magic), InputError);
  machine.set.entries[0].is_free = false;
  EXPECT_THROW(machine.start(sum_of(5, 1, [](std::uint64_t i) { return i; })), DeviceError);
}

TEST(JobRun, SharesADeviceWithAnotherJob) {
  Stepped machine(1);
  const auto first = machine.start(sum_of(100, 10, [](std::uint64_t i) { return i; }));
  const auto second = machine.start(sum_of(50, 10, [](std::uint64_t i) { return 2 * i; }));
  WorkerList list(machine.set.entries[0].device, 0, test::steady_clock());
  list.add(first);
  list.add(second);
  while (list.step().wait != Step::Wait::finished) {
  }
  EXPECT_EQ(list.take_finished().size(), 2u);
  EXPECT_EQ(value(*first), 99 * 100u / 2);
  EXPECT_EQ(value(*second), 49 * 50u);
}

/// What device 0 of two is dealt of so many items, where the first tenth of 1,000 was seen to cost nine times the rest.
std::uint64_t dealt_after_a_dear_tenth(std::uint64_t items) {
  Stepped machine(2);
  JobRequest request = sum_of(items, 1, [](std::uint64_t i) { return i; });
  request.policy = "static";
  request.placement = Placement::even;
  PlaceTimes times;
  for (int part = 0; part < 10; ++part) times.add({part / 10.0, (part + 1) / 10.0, 0.1, part == 0 ? 9.0 : 1.0});
  const Kernel& kernel = *request.kernel;
  const auto remembered = machine.memory.of({typeid(kernel), request.name});
  remembered->costs = PlaceCosts().after({&times});
  remembered->items = 1000;
  const auto job = machine.start(request);
  machine.drive(job);
  return job->report(0, 1).devices[0].items;
}

TEST(JobRun, BelievesTheCostsOfPlacesUnlessThereAreMoreThanTwiceAsManyItemsOrLessThanHalf) {
  for (const std::uint64_t items : {500u, 1000u, 2000u}) {
    EXPECT_LE(dealt_after_a_dear_tenth(items), items / 10 + 2) << items;
  }
  for (const std::uint64_t items : {498u, 2002u}) EXPECT_EQ(dealt_after_a_dear_tenth(items), items / 2) << items;
}

TEST(JobRun, StopsWhenAPolicyThrowsAndRunsNothingAfterwards) {
  class Throwing final : public ChunkPolicy {
   public:
    std::uint64_t next_items(const ChunkQuestion&) const override {
      if (++calls > 3) throw std::runtime_error("no more");
      return 10;
    }
    mutable int calls = 0;
  };
  register_chunk_policy("throwing", [](const std::string&) { return std::make_unique<Throwing>(); });
  // Two in flight each: some run when it throws.
  Devices devices;
  for (const char* name : {"asynchronous:0", "asynchronous:1"}) {
    devices.push_back(std::make_unique<test::AsynchronousDevice>(name));
  }
  Stepped machine(std::move(devices));
  std::atomic<std::uint64_t> ran{0};
  JobRequest request = sum_of(1000, 1, [&](std::uint64_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++ran;
    return i;
  });
  request.policy = "throwing";
  const auto job = machine.start(request);
  machine.drive(job);
  const std::uint64_t ran_by_the_end = ran;
  EXPECT_EQ(job->stopped(), Stop::body_failed);
  const Report report = job->report(0, 1);
  EXPECT_EQ(report.items_done, ran_by_the_end) << "what ran is counted";
  EXPECT_THROW(job->throw_failure(report), BodyError);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(ran, ran_by_the_end);
}

}  // namespace
}  // namespace skua
