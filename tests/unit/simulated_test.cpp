// Simulated devices by themselves, without any scheduler.
#include <gtest/gtest.h>

#include <skua/input.hpp>
#include <skua/simulated.hpp>

namespace skua {
namespace {

class NothingToRun final : public Kernel {
 public:
  Unit unit() const noexcept override { return Unit::chunk; }
  void run_on_host(const Chunk&) const override {}
};

Chunk items(std::uint64_t begin, std::uint64_t end) {
  Chunk chunk;
  chunk.begin = begin;
  chunk.end = end;
  return chunk;
}

/// Launches all chunks at once, and waits for the end of each.
SimulatedStep all_of(Simulation& simulation, std::size_t device, const std::vector<Chunk>& chunks,
                     std::vector<Completion>& completions) {
  static const NothingToRun kernel;
  return
      [&simulation, &completions, device, chunks, launched = false, left = chunks.size()]() mutable -> SimulatedWait {
        for (std::size_t i = 0; !launched && i < chunks.size(); ++i) {
          EXPECT_FALSE(simulation.device(device).launch(kernel, chunks[i], i));
        }
        launched = true;
        while (const auto completion = simulation.device(device).poll()) {
          completions.push_back(*completion);
          --left;
        }
        return {left == 0 ? SimulatedWait::For::finished : SimulatedWait::For::completion, 0};
      };
}

SimulatedMachine machine_of(std::size_t count) {
  SimulatedMachine machine;
  machine.devices.resize(count);
  for (SimulatedDevice& device : machine.devices) {
    device.launch_s = 10e-6;
    device.detection_s = 5e-6;
  }
  return machine;
}

double seconds(std::int64_t ns) {
  return static_cast<double>(ns - Simulation::start_ns) * 1e-9;
}

TEST(Simulated, ALaunchCostsItsLaunchItsWorkAndItsDetection) {
  Simulation simulation(machine_of(1));
  std::vector<Completion> ends;
  EXPECT_EQ(simulation.run({all_of(simulation, 0, {items(0, 1'000)}, ends)}, 1), Simulation::End::finished);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_NEAR(seconds(ends[0].begin_ns), 10e-6, 2e-9);
  EXPECT_NEAR(seconds(ends[0].end_ns), 1.010e-3, 2e-9);
  EXPECT_NEAR(simulation.now_s(), 1.015e-3, 2e-9);
}

TEST(Simulated, QueuedLaunchesFollowOneAnother) {
  SimulatedMachine machine = machine_of(1);
  machine.devices[0].queued_s = 1e-6;
  machine.devices[0].host_s = 2e-6;
  Simulation simulation(machine);
  std::vector<Completion> ends;
  simulation.run({all_of(simulation, 0, {items(0, 100), items(100, 300)}, ends)}, 1);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NEAR(seconds(ends[0].begin_ns), 12e-6, 2e-9);
  EXPECT_NEAR(seconds(ends[0].end_ns), 112e-6, 2e-9);
  EXPECT_NEAR(seconds(ends[1].begin_ns), 113e-6, 2e-9);
  EXPECT_NEAR(seconds(ends[1].end_ns), 313e-6, 2e-9);
}

TEST(Simulated, AChunkThatDoesNotFillTheDeviceTakesAsLongAsOneThatDoes) {
  SimulatedMachine machine = machine_of(1);
  machine.devices[0].filling_items = 500;
  Simulation simulation(machine);
  std::vector<Completion> ends;
  simulation.run({all_of(simulation, 0, {items(0, 10)}, ends)}, 1);
  EXPECT_NEAR(static_cast<double>(ends.at(0).end_ns - ends.at(0).begin_ns), 500e3, 2);
}

Topology pair_of(LinkKind kind, double gb_per_s, std::uint32_t count) {
  Topology topology;
  topology.gpus.resize(count);
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      if (from == to) continue;
      Link link;
      link.from = {from};
      link.to = {to};
      link.kind = kind;
      link.bandwidth_gb_per_s = gb_per_s;
      topology.links.push_back(link);
    }
  }
  return topology;
}

/// Devices 1 and up fetch 1 MB each from device 0, all at once.  Units: seconds, of the last one.
double fetched_after_s(LinkKind kind, std::uint32_t count) {
  SimulatedMachine machine = machine_of(count);
  machine.topology = pair_of(kind, 10, count);
  for (std::uint32_t i = 0; i < count; ++i) machine.devices[i].gpu = GpuId{i};
  Simulation simulation(machine);
  SimulatedLoop loop;
  loop.bytes_per_item = 1e6;
  loop.homes = {0};
  for (std::uint32_t i = 1; i < count; ++i) loop.homes.push_back(1'000);
  simulation.set_loop(loop);
  std::vector<Completion> ends;
  std::vector<SimulatedStep> steps;
  for (std::uint32_t i = 0; i < count; ++i) {
    steps.push_back(all_of(simulation, i, i == 0 ? std::vector<Chunk>{} : std::vector<Chunk>{items(i, i + 1)}, ends));
  }
  EXPECT_EQ(simulation.run(steps, 1), Simulation::End::finished);
  for (std::uint32_t i = 1; i < count; ++i) EXPECT_EQ(simulation.bytes_moved(i), 1'000'000u);
  return seconds(ends.back().end_ns);
}

TEST(Simulated, WhatCrossesALinkSharesItsBandwidth) {
  constexpr double own_s = 11e-6;
  EXPECT_NEAR(fetched_after_s(LinkKind::xgmi, 2), own_s + 100e-6, 5e-9);
  EXPECT_NEAR(fetched_after_s(LinkKind::xgmi, 4), own_s + 100e-6, 5e-9);
  // All leave through the one port of device 0.
  EXPECT_NEAR(fetched_after_s(LinkKind::pcie, 4), own_s + 300e-6, 5e-9);
}

TEST(Simulated, ADeviceThatHangsEndsTheRunAsStuck) {
  SimulatedMachine machine = machine_of(2);
  machine.devices[1].changes = {{50e-6, 0}};
  Simulation simulation(machine);
  std::vector<Completion> ends;
  EXPECT_EQ(simulation.run(
                {all_of(simulation, 0, {items(0, 1'000)}, ends), all_of(simulation, 1, {items(0, 1'000)}, ends)}, 1),
            Simulation::End::stuck);
  EXPECT_EQ(ends.size(), 1u);
}

TEST(Simulated, AFailureComesWhenItHappens) {
  SimulatedMachine machine = machine_of(1);
  machine.devices[0].fails_from_s = 500e-6;
  Simulation simulation(machine);
  std::vector<Completion> ends;
  simulation.run({all_of(simulation, 0, {items(0, 1'000)}, ends)}, 1);
  ASSERT_TRUE(ends.at(0).failure);
  EXPECT_NEAR(seconds(ends[0].end_ns), 500e-6, 2e-9);
}

TEST(Simulated, ManySimulationsFollowOneAnotherInOneProcess) {
  for (int i = 0; i < 300; ++i) {
    Simulation simulation(machine_of(3));
    std::vector<Completion> ends;
    std::vector<SimulatedStep> steps;
    for (std::size_t device = 0; device < 3; ++device) {
      steps.push_back(all_of(simulation, device, {items(0, 1'000), items(0, 77)}, ends));
    }
    ASSERT_EQ(simulation.run(steps, 1), Simulation::End::finished);
    ASSERT_EQ(ends.size(), 6u);
    ASSERT_EQ(ends[5].end_ns - Simulation::start_ns, 1'097'000) << "run " << i;
  }
}

TEST(Simulated, RefusesMachinesThatAreNone) {
  EXPECT_THROW(Simulation{SimulatedMachine{}}, InputError);
  SimulatedMachine machine = machine_of(1);
  machine.devices[0].work_per_second = 0;
  EXPECT_THROW(Simulation{machine}, InputError);
  machine = machine_of(2);
  machine.topology = pair_of(LinkKind::xgmi, -1, 2);
  EXPECT_THROW(Simulation{machine}, InputError);
  machine.topology = pair_of(LinkKind::xgmi, 1, 100);
  EXPECT_THROW(Simulation{machine}, InputError);
}

}  // namespace
}  // namespace skua
