// The real Workers over virtual devices: named situations, and thousands of random ones.
#include <gtest/gtest.h>

#include <random>

#include <skua/reduction.hpp>

#include "virtual_machine.hpp"

namespace skua {
namespace {

using test::Behaviour;
using test::VirtualMachine;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double launch_s = 12e-6;

double term(std::uint64_t i) {
  return 1.0 / (1.0 + static_cast<double>(i % 1013));
}
using Term = double (*)(std::uint64_t);

JobSpec job_of(std::uint64_t items, std::uint64_t granule_items, const std::string& policy = "factoring") {
  JobSpec spec;
  spec.items = items;
  spec.granule_items = granule_items;
  spec.kernel = std::make_shared<ReduceKernel<double, Term, Plus>>(&term, Plus{});
  spec.policy = make_chunk_policy(policy);
  spec.policy_name = policy;
  spec.repeatable = true;
  return spec;
}

/// A device of `rate` items a second, slowed down by `factor(time)`.
Behaviour steady(
    double rate, std::function<double(double)> factor = [](double) { return 1.0; }) {
  return {[=](std::uint64_t items, std::uint64_t, double begin_s) {
    return launch_s + static_cast<double>(items) / (rate * factor(begin_s));
  }};
}

double value_of(const VirtualMachine::Run& run) {
  return combine_partials(run.job->partials(), 0.0, Plus{});
}

double value_on_one_device(std::uint64_t items, std::uint64_t granule_items) {
  return value_of(VirtualMachine({steady(1e6)}).run(job_of(items, granule_items)));
}

/// Eight devices of 1e6 items a second would need 100 ms.
constexpr std::uint64_t items = 800'000;
constexpr std::uint64_t granule = 32;

void expect_done(const VirtualMachine::Run& run) {
  EXPECT_TRUE(run.ended);
  EXPECT_EQ(run.report.items_done, run.report.items);
  EXPECT_EQ(run.job->check_exactly_once(), "");
}

TEST(Simulation, EqualDevicesEndTogether) {
  const auto run = VirtualMachine(std::vector<Behaviour>(8, steady(1e6))).run(job_of(items, granule));
  expect_done(run);
  EXPECT_LT(run.report.makespan_s, 0.1 / 0.985);
  EXPECT_LT(run.report.imbalance(), 0.02);
}

TEST(Simulation, ADeviceAtHalfSpeedDoesHalfAsMuch) {
  std::vector<Behaviour> devices(8, steady(1e6));
  devices[3] = steady(0.5e6);
  const auto run = VirtualMachine(devices).run(job_of(items, granule));
  expect_done(run);
  EXPECT_LT(run.report.makespan_s, 0.8 / 7.5 / 0.98);
  EXPECT_LT(run.report.imbalance(), 0.02);
  EXPECT_NEAR(static_cast<double>(run.report.devices[3].items) / items, 0.5 / 7.5, 0.005);
}

TEST(Simulation, ADeviceThatNearlyStopsMidwayCostsLittle) {
  std::vector<Behaviour> devices(8, steady(1e6));
  devices[2] = steady(1e6, [](double now_s) { return now_s > 0.05 ? 0.02 : 1.0; });
  const auto run = VirtualMachine(devices).run(job_of(items, granule));
  expect_done(run);
  EXPECT_LT(run.report.makespan_s, 0.107 / 0.9);
  EXPECT_EQ(value_of(run), value_on_one_device(items, granule));
}

TEST(Simulation, ADeviceThatHangsCostsLittleAndNoBits) {
  for (const std::uint64_t hangs_at : {0u, 1u, 5u}) {
    std::vector<Behaviour> devices(8, steady(1e6));
    devices[6].seconds = [hangs_at](std::uint64_t count, std::uint64_t launch, double) {
      return launch >= hangs_at ? never : launch_s + static_cast<double>(count) / 1e6;
    };
    const auto run = VirtualMachine(devices).run(job_of(items, granule));
    expect_done(run);
    EXPECT_LT(run.report.makespan_s, 0.8 / 7 / 0.82) << hangs_at;
    EXPECT_EQ(value_of(run), value_on_one_device(items, granule));
  }
}

// On a server with eight GPUs, the first call took 300 ms on six of them, and 1 ms from then on.
TEST(Simulation, SlowFirstTimingsAreForgotten) {
  std::vector<Behaviour> devices(8, steady(1e6));
  for (std::size_t i = 2; i < 8; ++i) {
    devices[i].seconds = [](std::uint64_t count, std::uint64_t launch, double) {
      return launch == 0 ? 0.3 : launch_s + static_cast<double>(count) / 1e6;
    };
  }
  VirtualMachine machine(devices);
  machine.run(job_of(items, granule));
  const auto run = machine.run(job_of(items, granule));
  expect_done(run);
  for (const DeviceReport& device : run.report.devices) {
    EXPECT_NEAR(static_cast<double>(device.items) / items, 0.125, 0.02) << device.name;
  }
}

struct Situation {
  std::vector<Behaviour> devices;
  JobSpec job;
  double cancel_at_s = never;
};

Behaviour random_behaviour(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  const double rate = 1e5 * std::pow(30.0, unit(random));
  const double noise = unit(random) < 0.5 ? 0 : 0.3;
  const double drop_at_s = unit(random) < 0.2 ? unit(random) * 0.1 : never;
  const double spike = unit(random) < 0.2 ? 0.1 : 0;
  const std::uint64_t hangs_at = unit(random) < 0.1 ? random() % 6 : ~std::uint64_t{0};
  Behaviour behaviour;
  behaviour.seconds = [=, state = random()](std::uint64_t count, std::uint64_t launch, double begin_s) {
    if (launch >= hangs_at) return never;
    std::mt19937_64 own(state + launch);
    const double factor =
        (begin_s > drop_at_s ? 0.05 : 1.0) * (1 + noise * (std::uniform_real_distribution<double>(-1, 1)(own)));
    return launch_s + (launch == 0 ? spike : 0) + static_cast<double>(count) / (rate * factor);
  };
  if (unit(random) < 0.1) behaviour.refuses_from = random() % 5;
  behaviour.launches_max = 1 + static_cast<std::uint32_t>(random() % 2);
  return behaviour;
}

Situation random_situation(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  static const std::vector<std::string> policies = {"factoring", "factoring", "factoring", "formula",
                                                    "guided",    "fixed",     "fixed:100"};
  Situation situation;
  // The first device is sound, so that every Job can end.
  situation.devices.push_back(steady(1e6));
  const std::uint64_t more = random() % 4 == 0 ? random() % 64 : random() % 8;
  for (std::uint64_t i = 0; i < more; ++i) situation.devices.push_back(random_behaviour(random));
  const std::uint64_t granule_items = 1 + random() % 64;
  situation.job = job_of(granule_items * (random() % 3000) + 1 + random() % 100, granule_items,
                         policies[random() % policies.size()]);
  if (random() % 8 == 0) situation.cancel_at_s = 1e-4 * static_cast<double>(random() % 300);
  return situation;
}

class RandomSituations : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomSituations, EndWithEveryGranuleCountedOnceAndTheBitsOfOneDevice) {
  constexpr std::uint64_t seeds_each = 250;
  for (std::uint64_t seed = GetParam() * seeds_each; seed < (GetParam() + 1) * seeds_each; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Situation situation = random_situation(seed);
    const JobSpec job = situation.job;
    const auto run = VirtualMachine(situation.devices).run(job, situation.cancel_at_s);
    ASSERT_TRUE(run.ended);
    std::uint64_t sum = 0;
    for (const DeviceReport& device : run.report.devices) sum += device.items;
    EXPECT_EQ(sum, run.report.items_done);
    std::uint64_t not_done = 0;
    for (const ItemRange& range : run.report.not_done) not_done += range.end - range.begin;
    EXPECT_EQ(run.report.items_done + not_done, job.items);
    if (run.job->stopped() != Stop::none) continue;
    EXPECT_EQ(run.job->check_exactly_once(), "");
    EXPECT_EQ(value_of(run), value_on_one_device(job.items, job.granule_items));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSituations, testing::Range<std::uint64_t>(0, 16));

}  // namespace
}  // namespace skua
