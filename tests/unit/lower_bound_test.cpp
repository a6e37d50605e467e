// The fluid bound.
#include <gtest/gtest.h>

#include <cmath>

#include <skua/faults.hpp>
#include <skua/lower_bound.hpp>

namespace skua {
namespace {

SimulatedMachine two_devices() {
  SimulatedMachine machine;
  machine.devices.resize(2);
  return machine;
}

TEST(LowerBound, IsWorkOverTheSumOfRates) {
  SimulatedMachine machine = two_devices();
  EXPECT_NEAR(lower_bound_s(machine, Costs(1'000'000, {1.0}), 10), 0.5, 1e-9);
  machine.devices[1].work_per_second = 3e6;
  EXPECT_NEAR(lower_bound_s(machine, Costs(1'000'000, {1.0}), 10), 0.25, 1e-9);
}

TEST(LowerBound, KnowsEveryChangeOfARate) {
  SimulatedMachine machine = two_devices();
  change_rate(machine.devices[0], 0.25, std::nullopt, 0);
  EXPECT_NEAR(lower_bound_s(machine, Costs(1'000'000, {1.0}), 10), 0.75, 1e-9);
  EXPECT_NEAR(lower_bound_s(machine, Costs(1'000'000, {1.0}), 10, 0.25), 1.0, 1e-9);
}

TEST(LowerBound, IsNotBelowTheCostliestGranuleOnTheFastestDevice) {
  SimulatedMachine machine = two_devices();
  machine.devices[1].work_per_second = 2e6;
  EXPECT_NEAR(lower_bound_s(machine, Costs(1'000, {1, 8, 1}), 1'000), 1'000 / 2e6, 1e-12);
}

TEST(LowerBound, DoesNotCountOnADeviceThatFails) {
  SimulatedMachine machine = two_devices();
  machine.devices[0].fails_from_s = 0.9;
  EXPECT_NEAR(lower_bound_s(machine, Costs(1'000'000, {1.0}), 10), 1.0, 1e-9);
}

TEST(LowerBound, IsInfiniteWhenNobodyCanEverDoIt) {
  SimulatedMachine machine = two_devices();
  for (SimulatedDevice& device : machine.devices) change_rate(device, 0.1, std::nullopt, 0);
  EXPECT_TRUE(std::isinf(lower_bound_s(machine, Costs(1'000'000, {1.0}), 10)));
}

}  // namespace
}  // namespace skua
