// Faults that users of such software have met, on simulated machines.
#include <gtest/gtest.h>

#include <algorithm>

#include <skua/faults.hpp>
#include <skua/lower_bound.hpp>
#include <skua/simulate.hpp>

namespace skua {
namespace {

double makespan_s(const Scenario& scenario) {
  const SimulationResult result = simulate(scenario, {});
  EXPECT_TRUE(result.ended);
  EXPECT_EQ(result.fault, "");
  return result.report.makespan_s;
}

// B01: devices are numbered in another order than GPUs; what is nearest must follow the GPU and not the position.
TEST(FieldReport, B01BytesFollowTheGpuThatADeviceIsAndNotItsPosition) {
  Scenario scenario = make_scenario("hives", 3);
  std::vector<SimulatedDevice>& devices = scenario.machine.devices;
  const double in_order_s = makespan_s(scenario);
  for (std::uint32_t i = 0; i < devices.size(); ++i) devices[i].gpu = GpuId{(i * 3) % 8};
  EXPECT_NEAR(makespan_s(scenario), in_order_s, in_order_s * 0.01);
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
    EXPECT_LT(makespan_s(scenario), 0.2) << faults;
  }
}

// B24: while one device has a long chunk, the others look for work seldom.
TEST(FieldReport, B24IdleWorkersLookSeldom) {
  Simulation simulation({{SimulatedDevice{}}, {}, {}});
  int looks = 0;
  const auto end = simulation.run({[&]() -> SimulatedWait {
                                    ++looks;
                                    if (simulation.now_s() >= 1) return {SimulatedWait::For::finished, 0};
                                    return {SimulatedWait::For::change, simulation.clock().now_ns() + 100'000'000};
                                  }},
                                  10);
  EXPECT_EQ(end, Simulation::End::finished);
  EXPECT_EQ(looks, 11);
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
  Simulation simulation({{SimulatedDevice{}, SimulatedDevice{}}, {}, {}});
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

}  // namespace
}  // namespace skua
