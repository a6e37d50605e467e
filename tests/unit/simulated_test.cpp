// Simulated devices by themselves, without any scheduler.
#include <gtest/gtest.h>

#include <atomic>

#include <skua/input.hpp>
#include <skua/simulated.hpp>

#include "support/simulation_engines.hpp"

namespace skua {
namespace {

class Simulated : public test::OverEachEngine {};
INSTANTIATE_TEST_SUITE_P(Engines, Simulated, testing::ValuesIn(simulation_engines()), test::engine_name);

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

TEST_P(Simulated, ALaunchCostsItsLaunchItsWorkAndItsDetection) {
  Simulation simulation(machine_of(1), GetParam());
  std::vector<Completion> ends;
  EXPECT_EQ(simulation.run({all_of(simulation, 0, {items(0, 1'000)}, ends)}, 1), Simulation::End::finished);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_NEAR(seconds(ends[0].begin_ns), 10e-6, 2e-9);
  EXPECT_NEAR(seconds(ends[0].end_ns), 1.010e-3, 2e-9);
  EXPECT_NEAR(simulation.now_s(), 1.015e-3, 2e-9);
}

TEST_P(Simulated, QueuedLaunchesFollowOneAnother) {
  SimulatedMachine machine = machine_of(1);
  machine.devices[0].queued_s = 1e-6;
  machine.devices[0].host_s = 2e-6;
  Simulation simulation(machine, GetParam());
  std::vector<Completion> ends;
  simulation.run({all_of(simulation, 0, {items(0, 100), items(100, 300)}, ends)}, 1);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NEAR(seconds(ends[0].begin_ns), 12e-6, 2e-9);
  EXPECT_NEAR(seconds(ends[0].end_ns), 112e-6, 2e-9);
  EXPECT_NEAR(seconds(ends[1].begin_ns), 113e-6, 2e-9);
  EXPECT_NEAR(seconds(ends[1].end_ns), 313e-6, 2e-9);
}

TEST_P(Simulated, AChunkThatDoesNotFillTheDeviceTakesAsLongAsOneThatDoes) {
  SimulatedMachine machine = machine_of(1);
  machine.devices[0].filling_items = 500;
  Simulation simulation(machine, GetParam());
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
double fetched_after_s(LinkKind kind, std::uint32_t count, SimulationEngine engine) {
  SimulatedMachine machine = machine_of(count);
  machine.topology = pair_of(kind, 10, count);
  for (std::uint32_t i = 0; i < count; ++i) machine.devices[i].gpu = GpuId{i};
  Simulation simulation(machine, engine);
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

constexpr double own_s = 11e-6;

TEST_P(Simulated, ATransferIsAsSlowAsItsLink) {
  EXPECT_NEAR(fetched_after_s(LinkKind::xgmi, 2, GetParam()), own_s + 100e-6, 5e-9);
  EXPECT_NEAR(fetched_after_s(LinkKind::xgmi, 4, GetParam()), own_s + 100e-6, 5e-9);
}

TEST(SimGrid, SharesTheBandwidthOfALinkAmongWhatCrossesIt) {
  if (simulation_engines().front() != SimulationEngine::simgrid) GTEST_SKIP() << "skua was built without SimGrid";
  // All leave through the one port of device 0.
  EXPECT_NEAR(fetched_after_s(LinkKind::pcie, 4, SimulationEngine::simgrid), own_s + 300e-6, 5e-9);
}

/// Notes which items it ran.
class Noting final : public Kernel {
 public:
  void run_on_host(const Chunk& chunk) const override { ran.push_back(chunk.begin); }
  mutable std::vector<std::uint64_t> ran;
};

/// One launch of ten granules of 100 us each, which is dropped.
struct Dropped {
  Completion completion;
  std::vector<std::uint64_t> ran;
};

Dropped drop_at(SimulationEngine engine, double at_s, const SimulatedDevice& device) {
  Simulation simulation({{device}, {}, {}}, engine);
  const Noting kernel;
  std::atomic<std::uint64_t> word{0};
  Chunk chunk = items(0, 1'000);
  chunk.granule = 100;
  chunk.drop = {&word, 1};
  simulation.call_at(at_s, [&] {
    word = 1;
    simulation.notify();
  });
  Dropped dropped;
  const SimulatedStep step = [&, launched = false]() mutable -> SimulatedWait {
    if (!std::exchange(launched, true)) {
      EXPECT_FALSE(simulation.device(0).launch(kernel, chunk, 1));
    }
    const auto completion = simulation.device(0).poll();
    if (completion) dropped.completion = *completion;
    return {completion ? SimulatedWait::For::finished : SimulatedWait::For::completion, 0};
  };
  EXPECT_EQ(simulation.run({step}, 1), Simulation::End::finished);
  dropped.ran = kernel.ran;
  return dropped;
}

SimulatedDevice prompt_device() {
  SimulatedDevice device;
  device.launch_s = 0;
  return device;
}

TEST_P(Simulated, WhatIsDroppedEndsAtItsNextGranuleBorder) {
  const Dropped dropped = drop_at(GetParam(), 350e-6, prompt_device());
  EXPECT_FALSE(dropped.completion.whole);
  ASSERT_EQ(dropped.completion.done_before_drop.size(), 1u);
  EXPECT_EQ(dropped.completion.done_before_drop[0].first, 0u);
  EXPECT_EQ(dropped.completion.done_before_drop[0].last, 4u);
  EXPECT_EQ(dropped.ran, (std::vector<std::uint64_t>{0, 100, 200, 300}));
  EXPECT_NEAR(seconds(dropped.completion.end_ns), 400e-6, 2e-9);
}

TEST_P(Simulated, WhatIsDroppedInItsLastGranuleIsWhole) {
  const Dropped dropped = drop_at(GetParam(), 950e-6, prompt_device());
  EXPECT_TRUE(dropped.completion.whole);
  EXPECT_EQ(dropped.ran.size(), 10u);
  EXPECT_NEAR(seconds(dropped.completion.end_ns), 1e-3, 2e-9);
}

TEST_P(Simulated, WhatIsDroppedBeforeItBeginsRunsNothing) {
  SimulatedDevice device = prompt_device();
  device.launch_s = 100e-6;
  const Dropped dropped = drop_at(GetParam(), 50e-6, device);
  EXPECT_FALSE(dropped.completion.whole);
  EXPECT_TRUE(dropped.completion.done_before_drop.empty());
  EXPECT_TRUE(dropped.ran.empty());
}

TEST_P(Simulated, WhatStandsStillEndsWhenItGoesOnToTheNextBorder) {
  SimulatedDevice device = prompt_device();
  device.changes = {{250e-6, 0}, {0.5, 1}};
  const Dropped dropped = drop_at(GetParam(), 350e-6, device);
  EXPECT_EQ(dropped.ran.size(), 3u);
  EXPECT_NEAR(seconds(dropped.completion.end_ns), 0.5 + 50e-6, 2e-9);
}

TEST_P(Simulated, ADeviceThatDoesNotLookAtDropsRunsTheWholeChunk) {
  SimulatedDevice device = prompt_device();
  device.stops_when_dropped = false;
  const Dropped dropped = drop_at(GetParam(), 350e-6, device);
  EXPECT_TRUE(dropped.completion.whole);
  EXPECT_EQ(dropped.ran.size(), 10u);
}

TEST_P(Simulated, RefusesFailsIsLostAndHangsAtTheLaunchThatWasSaid) {
  const auto ends_with = [&](SimulatedDevice device) {
    Simulation simulation({{device}, {}, {}}, GetParam());
    std::string said;
    const NothingToRun kernel;
    const SimulatedStep step = [&, launched = 0]() mutable -> SimulatedWait {
      if (const auto completion = simulation.device(0).poll()) {
        said += completion->failure ? (completion->failure->kind == Failure::Kind::lost ? "lost " : "failed ") : "ran ";
      }
      if (launched == 3) return {SimulatedWait::For::finished, 0};
      const auto refusal = simulation.device(0).launch(kernel, items(0, 10), ++launched);
      if (refusal) said += "refused ";
      return {refusal ? SimulatedWait::For::nothing : SimulatedWait::For::completion, 0};
    };
    if (simulation.run({step}, 1) == Simulation::End::stuck) said += "stuck";
    return said;
  };
  SimulatedDevice device;
  EXPECT_EQ(ends_with(device), "ran ran ran ");
  device.fails_at = 1;
  EXPECT_EQ(ends_with(device), "ran failed ran ");
  device = {};
  device.refuses_at = 1;
  EXPECT_EQ(ends_with(device), "ran refused refused ");
  device = {};
  device.lost_at = 1;
  EXPECT_EQ(ends_with(device), "ran lost refused ");
  device = {};
  device.hangs_at = 1;
  EXPECT_EQ(ends_with(device), "ran stuck");
}

TEST_P(Simulated, ADeviceThatHangsEndsTheRunAsStuck) {
  SimulatedMachine machine = machine_of(2);
  machine.devices[1].changes = {{50e-6, 0}};
  Simulation simulation(machine, GetParam());
  std::vector<Completion> ends;
  EXPECT_EQ(simulation.run(
                {all_of(simulation, 0, {items(0, 1'000)}, ends), all_of(simulation, 1, {items(0, 1'000)}, ends)}, 1),
            Simulation::End::stuck);
  EXPECT_EQ(ends.size(), 1u);
}

TEST_P(Simulated, AFailureComesWhenItHappens) {
  SimulatedMachine machine = machine_of(1);
  machine.devices[0].fails_from_s = 500e-6;
  Simulation simulation(machine, GetParam());
  std::vector<Completion> ends;
  simulation.run({all_of(simulation, 0, {items(0, 1'000)}, ends)}, 1);
  ASSERT_TRUE(ends.at(0).failure);
  EXPECT_NEAR(seconds(ends[0].end_ns), 500e-6, 2e-9);
}

TEST_P(Simulated, ManySimulationsFollowOneAnotherInOneProcess) {
  for (int i = 0; i < 300; ++i) {
    Simulation simulation(machine_of(3), GetParam());
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

TEST_P(Simulated, RefusesMachinesThatAreNone) {
  EXPECT_THROW(Simulation(SimulatedMachine{}, GetParam()), InputError);
  SimulatedMachine machine = machine_of(1);
  machine.devices[0].work_per_second = 0;
  EXPECT_THROW(Simulation(machine, GetParam()), InputError);
  machine = machine_of(2);
  machine.topology = pair_of(LinkKind::xgmi, -1, 2);
  EXPECT_THROW(Simulation(machine, GetParam()), InputError);
  machine.topology = pair_of(LinkKind::xgmi, 1, 100);
  if (GetParam() != SimulationEngine::simgrid) return;
  EXPECT_THROW(Simulation(machine, GetParam()), InputError);
}

}  // namespace
}  // namespace skua
