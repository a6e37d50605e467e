// Faults that users of such software have met, on simulated machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <skua/faults.hpp>
#include <skua/lower_bound.hpp>
#include <skua/simulate.hpp>

#include "support/simulation_engines.hpp"

namespace skua {
namespace {

double makespan_s(const Scenario& scenario) {
  const SimulationResult result = simulate(scenario, {});
  EXPECT_TRUE(result.ended);
  EXPECT_EQ(result.fault, "");
  return result.report.makespan_s;
}

/// Two GPUs, of which the first has everything, as devices in this order; a device reads what lies with the other.
double makespan_of_order_s(const std::vector<std::uint32_t>& gpus, double gb_per_s_from_0_to_1) {
  Scenario scenario = make_scenario("equal", 1);
  scenario.machine.devices.resize(3);
  Topology topology = make_scenario("hives", 1).machine.topology;
  topology.gpus.resize(3);
  std::erase_if(topology.links, [](const Link& link) { return link.from.index > 2 || link.to.index > 2; });
  for (Link& link : topology.links) {
    const bool is_slow = link.from.index == 0 && link.to.index == 1;
    link.bandwidth_gb_per_s = is_slow ? gb_per_s_from_0_to_1 : 1'000;
  }
  scenario.machine.topology = std::move(topology);
  for (std::size_t i = 0; i < 3; ++i) {
    scenario.machine.devices[i].gpu = GpuId{gpus[i]};
    // GPU 0 holds the items, and runs hardly any; GPU 2 is as slow.
    scenario.machine.devices[i].work_per_second = gpus[i] == 1 ? 1e6 : 1e4;
  }
  scenario.costs = Costs(20'000, {1.0});
  scenario.granule_items = 4;
  scenario.bytes_per_item = 100'000;
  const auto home = static_cast<std::size_t>(std::find(gpus.begin(), gpus.end(), 0) - gpus.begin());
  scenario.homes.assign(3, 0);
  for (std::size_t i = home + 1; i < 3; ++i) scenario.homes[i] = 20'000;
  return makespan_s(scenario);
}

// B01: devices are numbered in another order than GPUs; what bytes cost must follow the GPU and not the position.
TEST(FieldReport, B01BytesFollowTheGpuThatADeviceIsAndNotItsPosition) {
  const double fast_s = makespan_of_order_s({0, 1, 2}, 1'000);
  const double slow_s = makespan_of_order_s({0, 1, 2}, 10);
  ASSERT_GT(slow_s, 5 * fast_s) << "the link does not matter";
  for (const std::vector<std::uint32_t>& gpus :
       {std::vector<std::uint32_t>{0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}}) {
    EXPECT_NEAR(makespan_of_order_s(gpus, 1'000), fast_s, 0.2 * fast_s);
    EXPECT_NEAR(makespan_of_order_s(gpus, 10), slow_s, 0.2 * slow_s);
  }
}

/// Device 1 may only fetch what lies with device 0.
double fetching_s(Topology topology) {
  Scenario scenario = make_scenario("hives", 1);
  scenario.machine.devices.resize(2);
  scenario.machine.devices[0].work_per_second = 1e3;
  scenario.machine.devices[1].work_per_second = 1e6;
  scenario.machine.devices[0].gpu = GpuId{0};
  scenario.machine.devices[1].gpu = GpuId{3};
  scenario.machine.topology = std::move(topology);
  scenario.bytes_per_item = 100'000;
  scenario.costs = Costs(20'000, {1.0});
  return makespan_s(scenario);
}

// B07: a pair that two links join is not as near as its neighbour, whatever a hop field says.
TEST(FieldReport, B07APairOverSeveralLinksIsAsSlowAsTheSlowestOfThem) {
  Topology chain = make_scenario("hives", 1).machine.topology;
  std::erase_if(chain.links, [](const Link& link) {
    const auto low = std::min(link.from.index, link.to.index);
    return std::max(link.from.index, link.to.index) - low != 1 && !(low == 0 && link.to.index + link.from.index == 3);
  });
  for (Link& link : chain.links) {
    const bool is_pair = link.from.index + link.to.index == 3 && (link.from.index == 0 || link.to.index == 0);
    link.kind = LinkKind::xgmi;
    link.hops = is_pair ? 3 : 1;
    link.bandwidth_gb_per_s = is_pair ? std::nullopt : std::optional<double>(link.from.index == 1 ? 10 : 100);
  }
  const double slow_middle_s = fetching_s(chain);
  for (Link& link : chain.links) {
    if (link.bandwidth_gb_per_s) link.bandwidth_gb_per_s = 100;
  }
  EXPECT_GT(slow_middle_s, fetching_s(chain) * 2);
}

// B08: an unknown bandwidth is neither 0, which would stop everything, nor an error.
TEST(FieldReport, B08AnUnknownBandwidthIsNotZero) {
  Topology topology = make_scenario("hives", 1).machine.topology;
  for (Link& link : topology.links) link.bandwidth_gb_per_s = std::nullopt;
  EXPECT_LT(fetching_s(topology), 0.1);
}

// B14: fewer host threads than devices, and each look takes its time: no more than that is lost.
TEST(FieldReport, B14TwoHostThreadsDriveEightDevices) {
  Scenario scenario = make_scenario("equal", 1);
  scenario.machine.host_threads = 2;
  for (SimulatedDevice& device : scenario.machine.devices) device.host_s = 5e-6;
  EXPECT_LT(makespan_s(scenario), 0.1 / 0.98);
}

// B16: calls for one GPU that stall for hundreds of microseconds do not delay the others.
TEST(FieldReport, B16OneSlowHostThreadDelaysNobodyElse) {
  Scenario scenario = make_scenario("equal", 1);
  apply_faults(parse_faults("host@2:factor=2"), 0.1, 1, scenario.machine.devices);
  EXPECT_LT(makespan_s(scenario), 0.1 / 0.97);
}

// B22, B27: nothing is taken twice, and nothing bounces, though everything is stolen from one device.
TEST(FieldReport, B22AndB27WhatIsStolenIsRunOnceAndDoesNotBounce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Scenario scenario = make_scenario("noise", seed);
    scenario.repeatable = false;
    scenario.placement = {1, 1e-12, 1e-12, 1e-12, 1e-12, 1e-12, 1e-12, 1e-12};
    const SimulationResult result = simulate(scenario, {});
    EXPECT_EQ(result.fault, "");
    std::uint64_t stolen = 0;
    for (const DeviceReport& device : result.report.devices) stolen += device.stolen_items;
    EXPECT_GT(stolen, result.report.items / 2);
    EXPECT_LT(stolen, 3 * result.report.items);
    EXPECT_GE(result.efficiency(), 0.97) << "seed " << seed;
  }
}

// B23: whoever waits is woken up, or else a run would not end before its limit.
TEST(FieldReport, B23NobodySleepsThroughTheEnd) {
  for (const char* faults : {"stall@0:at=0.05,for=1", "hang@3:at=0", "error@any", "slow@7:at=0.01,factor=0.001"}) {
    Scenario scenario = make_scenario("equal", 5);
    apply_faults(parse_faults(faults), 0.1, 5, scenario.machine.devices);
    // What stands still cannot stop: its caller waits for that, and for nothing else.
    const SimulationResult result = simulate(scenario, {});
    EXPECT_TRUE(result.ended);
    EXPECT_EQ(result.fault, "");
    EXPECT_LT(result.report.makespan_s - result.report.waited_s, 0.2) << faults;
  }
}

/// Looks, of each device, of Workers that have nothing to do while the first device is busy for a second.
std::vector<std::vector<double>> idle_looks_s(SimulationEngine engine, std::size_t devices) {
  Scenario scenario = make_scenario("equal", 1);
  const SimulatedDevice idle = scenario.machine.devices.front();
  scenario.machine.devices.assign(devices, idle);
  scenario.machine.devices[0].work_per_second = 1e3;
  scenario.repeatable = false;
  // One granule: a second for the first device, and nothing ever for the others.
  scenario.costs = Costs(1'000, {1.0});
  scenario.granule_items = 1'000;
  scenario.placement.assign(devices, 1e-12);
  scenario.placement[0] = 1;
  SimulationOptions options;
  options.engine = engine;
  std::vector<std::vector<double>> looks_s(devices);
  options.on_look = [&](const SimulatedLook& look) { looks_s[look.device].push_back(look.at_s); };
  const SimulationResult result = simulate(scenario, options);
  EXPECT_TRUE(result.ended);
  EXPECT_GT(result.report.makespan_s, 0.9);
  return looks_s;
}

// B24: while one device has a long chunk, Workers without work look for it ever more seldom, and no more.
TEST(FieldReport, B24IdleWorkersLookSeldom) {
  for (const SimulationEngine engine : simulation_engines()) {
    const std::vector<double> looks_s = idle_looks_s(engine, 2)[1];
    EXPECT_LT(looks_s.size(), 1'000u) << "over a second";
    ASSERT_GT(looks_s.size(), 100u) << "it is to look again, though";
    // The first waits are short: a short Job is not to be missed.
    EXPECT_LT(looks_s[1] - looks_s[0], 50e-6);
    for (std::size_t i = 20; i + 1 < looks_s.size(); ++i) EXPECT_LT(looks_s[i + 1] - looks_s[i], 5e-3);
  }
}

// B24, too: a look goes over all devices, so that those of a thousand devices would take the cores from the one that
// has something to do.
TEST(FieldReport, B24AThousandIdleWorkersTogetherLookLittleMoreThanSixtyFour) {
  const auto sum = [](const std::vector<std::vector<double>>& looks_s) {
    return std::accumulate(
        looks_s.begin(), looks_s.end(), std::size_t{0},
        [](std::size_t so_far, const std::vector<double>& of_one) { return so_far + of_one.size(); });
  };
  EXPECT_LT(sum(idle_looks_s(SimulationEngine::plain, 1'024)), 3 * sum(idle_looks_s(SimulationEngine::plain, 64)));
}

// B25: a failure is in the Report, and what is left is done by others.
TEST(FieldReport, B25AFailureIsReportedAndLosesNothing) {
  Scenario scenario = make_scenario("error", 4);
  const SimulationResult result = simulate(scenario, {});
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(std::count_if(result.report.devices.begin(), result.report.devices.end(),
                          [](const DeviceReport& device) { return device.failed; }),
            1);
  for (SimulatedDevice& device : scenario.machine.devices) device.fails_from_s = 0.01;
  const SimulationResult none_left = simulate(scenario, {});
  EXPECT_TRUE(none_left.ended);
  EXPECT_LT(none_left.report.items_done, none_left.report.items);
}

// B26: what a step throws comes out of the run, though other devices still wait.
TEST(FieldReport, B26AnExceptionInOneStepEndsTheRun) {
  for (const SimulationEngine engine : simulation_engines()) {
    Simulation simulation({{SimulatedDevice{}, SimulatedDevice{}}, {}, {}}, engine);
    const SimulatedStep waits = [&]() -> SimulatedWait {
      return {SimulatedWait::For::change, simulation.clock().now_ns() + 1'000'000};
    };
    const SimulatedStep throws = [&]() -> SimulatedWait {
      if (simulation.now_s() > 0.5) throw std::runtime_error("nested");
      return waits();
    };
    EXPECT_THROW(simulation.run({waits, throws}, 10), std::runtime_error);
    EXPECT_EQ(simulation.run({waits, waits}, 2), Simulation::End::limit);
  }
}

}  // namespace
}  // namespace skua
