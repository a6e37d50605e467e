// The named situations, and what the default policy has to reach in each, against the fluid lower bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "support/scenarios.hpp"

namespace skua {
namespace {

using test::Behaviour;
using test::equal_devices;
using test::Outcome;
using test::run_scenario;
using test::scenario;
using test::Scenario;
using test::scenario_granule;
using test::scenario_items;
using test::sum_job;
using test::VirtualMachine;

struct Target {
  std::string scenario;
  double median = 0.99;
  double worst = 0.98;
  double imbalance = 0.02;  ///< of the worst seed; of the median seed nowhere more than 2 %
  std::size_t seeds = 100;
  double most = 1.02;  ///< the noise of chunks may make them a little faster than the bound knows
};

void PrintTo(const Target& target, std::ostream* stream) {
  *stream << target.scenario;
}

constexpr double any_imbalance = 10;

std::string name_of(const testing::TestParamInfo<Target>& info) {
  std::string name = info.param.scenario;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
}

void expect_done(const VirtualMachine::Run& run) {
  EXPECT_TRUE(run.ended);
  EXPECT_EQ(run.job->check_exactly_once(), "");
  const Report& report = run.report;
  EXPECT_EQ(report.items_done, report.items);
  std::uint64_t sum = 0;
  for (const DeviceReport& device : report.devices) sum += device.items;
  EXPECT_EQ(sum, report.items);
}

class Efficiency : public testing::TestWithParam<Target> {};

TEST_P(Efficiency, ReachesItsPartOfTheLowerBound) {
  const Target& target = GetParam();
  std::vector<double> reached;
  std::vector<double> imbalance;
  for (std::uint64_t seed = 0; seed < target.seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario situation = scenario(target.scenario, seed);
    const Outcome outcome = run_scenario(situation);
    expect_done(outcome.run);
    EXPECT_EQ(test::sum_of(outcome.run), test::plain_sum(situation.items, situation.granule_items));
    EXPECT_LT(outcome.run.longest_idle_s, 1e-4);
    reached.push_back(outcome.efficiency());
    imbalance.push_back(outcome.run.report.imbalance());
  }
  std::sort(reached.begin(), reached.end());
  std::sort(imbalance.begin(), imbalance.end());
  RecordProperty("median", std::to_string(reached[target.seeds / 2]));
  EXPECT_GE(reached[target.seeds / 2], target.median);
  EXPECT_GE(reached.front(), target.worst);
  EXPECT_LE(reached.back(), target.most);
  EXPECT_LE(imbalance[target.seeds / 2], std::max(0.02, target.imbalance));
  EXPECT_LE(imbalance.back(), target.imbalance);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Efficiency,
                         testing::Values(Target{"equal"}, Target{"one-half"}, Target{"half-half"}, Target{"thirty"},
                                         Target{"ramp"}, Target{"noise"}, Target{"neighbour"}, Target{"hives"},
                                         Target{"frontier"}, Target{"drop"}, Target{"cpx", 0.99, 0.99, 0.02, 10},
                                         Target{"thousand", 0.99, 0.99, 0.02, 1}),
                         name_of);

// The device that stops may have done up to 12.5 ms of work in a chunk that others have to run again.
INSTANTIATE_TEST_SUITE_P(Faults, Efficiency,
                         testing::Values(Target{"near-stop", 0.98, 0.97}, Target{"stall", 0.98, 0.97},
                                         Target{"slow-start", 0.98, 0.98}, Target{"hang", 0.98, 0.97, any_imbalance},
                                         // Until it fails the device does work that the bound does not count on.
                                         Target{"error", 0.98, 0.98, 0.02, 100, 1.15}),
                         name_of);

// A costly granule that nobody knew of may come last: no order that is chosen beforehand avoids that for all seeds.
INSTANTIATE_TEST_SUITE_P(Costs, Efficiency, testing::Values(Target{"long-tail", 0.97, 0.85, 0.1}), name_of);

// The launches alone cost a loop of 1 ms some 7 %.
INSTANTIATE_TEST_SUITE_P(Short, Efficiency,
                         testing::Values(Target{"short", 0.90, 0.88, 0.03}, Target{"short-one-half", 0.90, 0.88, 0.03}),
                         name_of);

// The bound knows neither the 10 us that the first launch and the last look take, nor that no chunk is smaller than
// what hides a launch.
INSTANTIATE_TEST_SUITE_P(PartsOfOneGpu, Efficiency,
                         testing::Values(Target{"parts-20ms", 0.98, 0.98, 0.02, 10},
                                         Target{"parts-1.7ms", 1 / 1.02, 0.97, 0.02, 20},
                                         Target{"parts-1.7ms-unknown", 1 / 1.02, 0.97, 0.02, 20},
                                         Target{"parts-0.12ms", 1 / 1.25, 0.75, any_imbalance},
                                         Target{"parts-0.12ms-unknown", 1 / 1.45, 0.65, any_imbalance}),
                         name_of);

/// What is late stays late where nothing may run twice: then no more may be late than the one chunk that runs.
TEST(Simulation, ADropHoldsBackNoMoreThanTheChunkThatRuns) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario situation = scenario("drop", seed);
    VirtualMachine machine(situation.devices);
    JobSpec job = sum_job(scenario_items, scenario_granule);
    job.repeatable = false;
    const auto run = machine.run(job);
    expect_done(run);
    EXPECT_GE(machine.fluid_bound_s(situation.total_work) / run.report.makespan_s, 0.98);
  }
}

TEST(Simulation, AHangBeforeAnyRateIsKnownDoesNotLastForEver) {
  for (const std::size_t count : {2u, 3u, 8u}) {
    for (const std::uint64_t granules : {1u, 2u, 3u, 8u}) {
      for (std::size_t hung = 0; hung < count; ++hung) {
        SCOPED_TRACE(std::to_string(granules) + " granules, device " + std::to_string(hung) + " of " +
                     std::to_string(count));
        std::vector<Behaviour> devices = equal_devices(1, 0, count);
        devices[hung].hangs_at = 0;
        const auto run = VirtualMachine(devices).run(sum_job(granules * 1024, 1024));
        expect_done(run);
        EXPECT_LT(run.report.makespan_s, 0.25);
      }
    }
  }
}

// On a server with eight GPUs, the first call took 300 ms on six of them, and 1 ms from then on.
TEST(Simulation, SlowFirstChunksAreForgotten) {
  std::vector<Behaviour> devices = equal_devices(1);
  for (std::size_t i = 2; i < 8; ++i) devices[i].first_chunk_s = 0.3;
  // Later the first device stands still for 200 ms.
  devices[0].changes = {{3.0, 0}, {3.2, 1}};
  VirtualMachine machine(devices);
  machine.run(sum_job(16'000'000, 1000));
  int rounds_checked = 0;
  for (int round = 0; round < 8; ++round) {
    JobSpec job = sum_job(4'000'000, 1000);
    job.repeatable = false;
    const auto run = machine.run(job);
    expect_done(run);
    // Two seconds after the start, and half a second after the later spike, shares are to be level.
    ASSERT_GT(run.begin_s, 2.0);
    if (run.begin_s + run.report.makespan_s > 3.0 && run.begin_s < 3.7) continue;
    ++rounds_checked;
    for (const DeviceReport& device : run.report.devices) {
      EXPECT_NEAR(static_cast<double>(device.items) / 4e6, 0.125, 0.02) << device.name << " at " << run.begin_s;
    }
  }
  EXPECT_GE(rounds_checked, 4);
}

TEST(Simulation, DevicesWithOneGranuleEachDoNotTakeEachOthersBeforeTheyStart) {
  JobSpec job = sum_job(8 * 1024, 1024);
  job.repeatable = false;
  const auto run = VirtualMachine(equal_devices(1)).run(job);
  expect_done(run);
  for (const DeviceReport& device : run.report.devices) EXPECT_EQ(device.items, 1024u) << device.name;
}

/// Chunks of 1,000 items, and no stealing.
class NobodySteals final : public ChunkPolicy {
 public:
  std::uint64_t next_items(const ChunkQuestion&) const override { return 1000; }
  bool steals() const override { return false; }
};

TEST(Simulation, WhatAFailedDeviceOwnsIsRunElsewhereThoughNobodySteals) {
  std::vector<Behaviour> devices = equal_devices(1, 0, 4);
  devices[2].fails_at = 1;
  JobSpec job = sum_job(200'000, 10);
  job.policy = std::make_shared<NobodySteals>();
  const auto run = VirtualMachine(devices).run(job);
  expect_done(run);
  EXPECT_LT(run.report.makespan_s, 0.2 / 3 / 0.95);
}

TEST(Simulation, WhatAFailedDeviceGaveBackIsNotRunInCrumbs) {
  std::vector<Behaviour> devices = equal_devices(1, 0, 2);
  devices[1].fails_at = 0;
  const auto run = VirtualMachine(devices).run(sum_job(200'000, 1, "static"));
  expect_done(run);
  EXPECT_LT(run.report.devices[0].chunks, 200u);
  EXPECT_LT(run.report.makespan_s, 0.21);
}

// Everything begins with one device of three; elsewhere one task was moved 45 times.
TEST(Simulation, GranulesDoNotBounce) {
  VirtualMachine machine(equal_devices(1, 0.1, 3));
  VirtualMachine::Options options;
  options.placement = {1, 1e-12, 1e-12};
  const auto run = machine.run(sum_job(2'000 * 5'000, 5'000, "fixed:5000"), options);
  expect_done(run);
  std::uint64_t steals = 0;
  std::uint64_t stolen_items = 0;
  for (const DeviceReport& device : run.report.devices) {
    steals += device.steals;
    stolen_items += device.stolen_items;
  }
  EXPECT_LT(steals, 400u);
  EXPECT_LT(stolen_items, 3 * run.report.items);
}

TEST(Simulation, TheSameSeedGivesTheSameRun) {
  const auto run = [] {
    return to_json(VirtualMachine(scenario("drop", 7).devices).run(sum_job(scenario_items, scenario_granule)).report);
  };
  EXPECT_EQ(run(), run());
}

/// A Worker of device 0 with everything that it needs, and nothing that steps it by itself.
struct OneWorker {
  explicit OneWorker(JobSpec spec) : job(std::make_shared<Job>(std::move(spec))) {
    for (std::uint32_t i = 0; i < job->device_count(); ++i) distances.push_back(i);
  }
  Step step() { return Worker({job, 0, device, clock, feedback, distances, false}).step(); }

  test::VirtualClock clock;
  test::VirtualDevice device{"virtual:0", Behaviour{}, {}, clock};
  Feedback feedback;
  std::shared_ptr<Job> job;
  std::vector<std::uint32_t> distances;
};

JobSpec loop_of_one_item_granules(std::uint64_t items, std::vector<double> placement) {
  JobSpec spec = sum_job(items, 1);
  const auto body = [](std::uint64_t) {};
  spec.kernel = std::make_shared<ForKernel<decltype(body)>>(body);
  spec.placement = std::move(placement);
  return spec;
}

TEST(Simulation, AVictimThatIsBetterLeftAloneDoesNotHideTheOthers) {
  OneWorker one(loop_of_one_item_granules(20, {1e-9, 8, 12}));
  Job& job = *one.job;
  one.feedback.add_chunk(1, 1'000'000'000);
  one.feedback.add_chunk(1, 1'000'000'000);
  for (std::uint32_t i = 0; i < 3; ++i) job.seat(i).busy_until_ns = one.clock.now_ns();
  // The nearer one is done in 0.8 s, before the thief would be with one granule; the other needs 1.2 s.
  job.seat(1).items_per_second = 10;
  job.seat(2).items_per_second = 10;
  ASSERT_EQ(job.seat(0).share.look().size(), 0u);
  one.step();
  EXPECT_EQ(job.seat(1).share.look().size(), 8u);
  EXPECT_EQ(job.seat(2).share.look().size(), 11u);
}

/// Somebody stops the Job just when the Worker is about to launch.
class StopsTheJob final : public ChunkPolicy {
 public:
  std::uint64_t next_items(const ChunkQuestion&) const override {
    job->stop(Stop::cancelled, 1);
    return 10;
  }
  Job* job = nullptr;
};

TEST(Simulation, NothingIsLaunchedOnceTheJobIsStopped) {
  JobSpec spec = loop_of_one_item_granules(20, {1, 1});
  const auto policy = std::make_shared<StopsTheJob>();
  spec.policy = policy;
  OneWorker one(std::move(spec));
  policy->job = one.job.get();
  EXPECT_EQ(one.step().wait, Step::Wait::finished);
  EXPECT_EQ(one.device.next_end_ns(), test::never_ns);
}

TEST(Simulation, NothingIsCopiedOnceTheJobIsStopped) {
  Job job(loop_of_one_item_granules(20, {1, 1}));
  for (std::uint32_t i = 0; i < 2; ++i) job.seat(i).items_per_second = 1e6;
  Flight& flight = job.seat(1).flights.emplace_back();
  flight.start({10, 20}, 0, 10);
  ASSERT_TRUE(job.take_late(0, 1'000'000'000, 0));
  job.stop(Stop::cancelled, 2'000'000'000);
  EXPECT_TRUE(flight.interrupted());
  Flight& later = job.seat(1).flights.emplace_back();
  later.start({10, 20}, 0, 10);
  EXPECT_FALSE(job.take_late(0, 3'000'000'000, 0));
}

TEST(Simulation, ForecastsOfCenturiesAreNoOverflow) {
  Job job(loop_of_one_item_granules(std::uint64_t{1} << 31, {1, 1}));
  job.seat(0).items_per_second = 1e-3;
  job.seat(1).items_per_second = 1e-3;
  Flight& flight = job.seat(1).flights.emplace_back();
  flight.start({0, std::uint32_t{1} << 31}, 0, Flight::no_forecast);
  const auto next = job.next_late_ns(0, 1'000);
  ASSERT_TRUE(next);
  EXPECT_GT(*next, 1'000'000'000'000'000'000);
}

TEST(Simulation, WhatIsLeftDoesNotWrapInTheLargestLoops) {
  JobSpec spec = sum_job(1, 1);
  const auto body = [](std::uint64_t) {};
  spec.kernel = std::make_shared<ForKernel<decltype(body)>>(body);
  spec.items = ~std::uint64_t{0};
  spec.granule_items = (std::uint64_t{1} << 33) + (std::uint64_t{1} << 20);
  spec.placement = {1, 1};
  EXPECT_EQ(Job(spec).items_in_shares(), spec.items);
}

}  // namespace
}  // namespace skua
