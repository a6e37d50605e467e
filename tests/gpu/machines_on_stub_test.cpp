// Jobs on AMD's machines, each over a HIP runtime that behaves as its own and over the graph of its own files.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpu/amd_parts.hpp>
#include <gpu/backend.hpp>
#include <skua/job_errors.hpp>
#include <skua/scheduler.hpp>

#include "support/amd_machines.hpp"
#include "support/hip_stub.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

/// Leaves the sum of each granule's items; on GPUs by a launch that takes 50 ns an item, on a core in twenty times
/// that. Faults on a GPU when it is told to.
class SummingKernel final : public Kernel, public LaunchCode {
 public:
  std::size_t partial_bytes() const noexcept override { return sizeof(std::uint64_t); }
  void run_on_host(const Chunk& chunk) const override {
    const auto until = std::chrono::steady_clock::now() + 1us * chunk.items();
    sum(chunk);
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  const Code* code(std::string_view) const noexcept override { return this; }
  void start(const Chunk& chunk) const override {
    hip_stub::enqueue(static_cast<hipStream_t>(chunk.stream), 50ns * chunk.items(), [&] {
      if (launches_before_fault-- == 0) return hip_stub::fault();
      sum(chunk);
    });
  }

  mutable std::atomic<int> launches_before_fault{-1};

 private:
  static void sum(const Chunk& chunk) {
    auto* result = static_cast<std::byte*>(chunk.partials);
    for (std::uint64_t begin = chunk.begin; begin < chunk.end; begin += chunk.granule) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = begin; i < std::min(begin + chunk.granule, chunk.end); ++i) sum += i;
      std::memcpy(result, &sum, sizeof(sum));
      result += sizeof(sum);
    }
  }
};

constexpr std::uint64_t items = 40'000;

class GpuMachine : public testing::TestWithParam<test::AmdMachine> {
 protected:
  Devices open(const std::string& argument) { return open_gpus(argument, topology, clock); }

  std::uint64_t sum_over(Devices devices, const std::shared_ptr<SummingKernel>& kernel) {
    Scheduler scheduler(std::move(devices), {}, topology);
    JobOptions options;
    options.granule_items = 10;
    Partials partials;
    report = scheduler.run(items, kernel, options, &partials);
    std::uint64_t sum = 0;
    for (const Partials::Piece& piece : partials.pieces) {
      for (std::uint32_t granule = 0; granule < piece.granules.size(); ++granule) {
        std::uint64_t one = 0;
        std::memcpy(&one, piece.first + granule * sizeof(one), sizeof(one));
        sum += one;
      }
    }
    return sum;
  }

  const test::AmdMachine& machine = GetParam();
  hip_stub::State& stub = hip_stub::become(machine);
  const Topology topology = machine.topology();
  const SteadyClock clock;
  Report report;
};

INSTANTIATE_TEST_SUITE_P(Machines, GpuMachine, testing::ValuesIn(test::amd_machines()), test::name_of_machine);

TEST_P(GpuMachine, RunsAJobOnAllItsGpusEachInItsPlace) {
  Devices devices = open("");
  ASSERT_EQ(devices.size(), machine.addresses.size());
  std::set<std::uint32_t> places;
  for (const auto& device : devices) {
    ASSERT_TRUE(device->info().gpu) << device->info().name;
    places.insert(device->info().gpu->index);
    EXPECT_EQ(device->info().numa_node, topology.gpus[device->info().gpu->index].numa_node);
    EXPECT_TRUE(device->info().numa_node);
  }
  EXPECT_EQ(places.size(), devices.size());
  EXPECT_EQ(sum_over(std::move(devices), std::make_shared<SummingKernel>()), items * (items - 1) / 2);
  EXPECT_EQ(stub.slow_launches, 0);
}

TEST_P(GpuMachine, RunsAJobOnTwoPartsAndOnAsManyAsThereMayBe) {
  for (const int version : {hip_stub::hip_6, hip_stub::hip_7}) {
    const GpuGrain grain = amd_grain(list_gpus(topology).at(1));
    const std::uint32_t by_queues = (machine.hardware_queues - queues_of_others) / streams_of_part;
    for (const std::uint32_t parts : {2u, std::min(grain.available / grain.quantum, by_queues)}) {
      hip_stub::become(machine, version);
      Devices devices = open("1/" + std::to_string(parts));
      ASSERT_EQ(devices.size(), parts);
      for (const auto& device : devices) EXPECT_EQ(device->info().gpu, GpuId{1});
      EXPECT_EQ(sum_over(std::move(devices), std::make_shared<SummingKernel>()), items * (items - 1) / 2);
      EXPECT_EQ(stub.slow_launches, 0) << "no more queues than the hardware has";
      EXPECT_EQ(stub.put_on_null, 0);
      EXPECT_EQ(stub.launches_behind_null, 0);
    }
  }
}

TEST_P(GpuMachine, EndsTheJobOnTheHostWhenAFaultTakesAllItsGpus) {
  hip_stub::become(machine, hip_stub::hip_7);
  Devices devices = open("");
  const std::size_t gpus = devices.size();
  for (auto& device : open_devices("host:2", topology, clock)) devices.push_back(std::move(device));
  const auto kernel = std::make_shared<SummingKernel>();
  kernel->launches_before_fault = 1;
  EXPECT_EQ(sum_over(std::move(devices), kernel), items * (items - 1) / 2);
  EXPECT_LT(kernel->launches_before_fault, 0) << "there was no fault";
  ASSERT_EQ(report.devices.size(), gpus + 2);
  for (std::size_t i = 0; i < gpus; ++i) EXPECT_TRUE(report.devices[i].failed) << report.devices[i].name;
  for (std::size_t i = gpus; i < gpus + 2; ++i) EXPECT_FALSE(report.devices[i].failed) << report.devices[i].name;
  stub.context_lost = false;
}

/// What a Job with nowhere else to go says of a fault.
TEST_P(GpuMachine, SaysThatAFaultHasTakenAllItsGpus) {
  hip_stub::become(machine, hip_stub::hip_7);
  const auto kernel = std::make_shared<SummingKernel>();
  kernel->launches_before_fault = 1;
  EXPECT_THROW(sum_over(open("0,1"), kernel), std::runtime_error);
  stub.context_lost = false;
}

using GpuMachineOld = GpuMachine;

INSTANTIATE_TEST_SUITE_P(Machines, GpuMachineOld, testing::Values(test::amd_machine("Mi250x")), test::name_of_machine);

TEST_P(GpuMachineOld, EndsTheProcessAtAFaultBeforeHip7) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Devices devices = open("");
        for (auto& device : open_devices("host:2", topology, clock)) devices.push_back(std::move(device));
        const auto kernel = std::make_shared<SummingKernel>();
        kernel->launches_before_fault = 1;
        sum_over(std::move(devices), kernel);
      },
      testing::KilledBySignal(SIGABRT), "");
}

TEST_P(GpuMachineOld, LetsPartsWaitForTheNullStreamAndWholeGpusNot) {
  Scheduler parts(open("0/2"));
  Scheduler whole(open("1"));
  const auto launch = [&](Scheduler& scheduler, int gpu) {
    scheduler.launch(1'000, [&](const Chunk& chunk) {
      // What the program does beside a Job that has begun.
      if (chunk.begin == 0) {
        static_cast<void>(hipSetDevice(gpu));
        hip_stub::enqueue(nullptr, 5ms, [] {});
      }
      hip_stub::enqueue(static_cast<hipStream_t>(chunk.stream), 1us * chunk.items(), [] {});
    });
  };
  launch(whole, 1);
  EXPECT_EQ(stub.launches_behind_null, 0);
  launch(parts, 0);
  EXPECT_GT(stub.launches_behind_null, 0);
}

}  // namespace
}  // namespace skua
