// The GPU backend over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <skua/input.hpp>
#include <skua/scheduler.hpp>

#include "backend_hip.hpp"
#include "gpu_device.hpp"
#include "support/hip_stub.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

/// Counts the runs of each item when its launch is done; a chunk takes `each` an item.
class CountingKernel final : public Kernel {
 public:
  CountingKernel(std::size_t items, std::chrono::nanoseconds each) : runs(items), each_(each) {}
  bool runs_on_gpu() const noexcept override { return true; }
  void run_on_host(const Chunk& chunk) const override { count(chunk); }
  void start_on_gpu(const Chunk& chunk, const GpuPart&) const override {
    hip_stub::enqueue(static_cast<hipStream_t>(chunk.stream), each_ * chunk.items(), [&] { count(chunk); });
  }
  void expect_all_once() const {
    for (const auto& count : runs) ASSERT_EQ(count, 1u);
  }

  mutable std::vector<std::atomic<unsigned>> runs;

 private:
  void count(const Chunk& chunk) const {
    for (std::uint64_t i = chunk.begin; i != chunk.end; ++i) ++runs[i];
  }
  std::chrono::nanoseconds each_;
};

Devices open(const std::string& argument = "") {
  static const SteadyClock clock;
  return open_gpus(argument, Topology{}, clock);
}

std::string error_of(const std::string& argument) {
  try {
    open(argument);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class GpuBackend : public testing::Test {
 protected:
  hip_stub::State& stub = hip_stub::reset();
};

TEST_F(GpuBackend, OpensEveryGpuAndClosesAllThatItOpened) {
  {
    const Devices devices = open();
    ASSERT_EQ(devices.size(), 4u);
    EXPECT_EQ(devices[2]->info().name, "gpu:2");
    EXPECT_EQ(stub.streams_alive, 8) << "two launches in flight, on a stream each";
  }
  EXPECT_EQ(stub.streams_alive, 0);
  EXPECT_EQ(stub.events_alive, 0);
}

TEST_F(GpuBackend, FindsItsPlaceInTheTopologyByAddress) {
  Topology topology;
  topology.gpus.resize(3);
  topology.gpus[0].pci = PciAddress::from_text("0000:c4:00.0");
  topology.gpus[1].pci = PciAddress::from_text("0000:c1:00.0");
  topology.gpus[1].numa_node = NumaId{3};
  topology.gpus[2].pci = PciAddress::from_text("0000:c2:00.0");
  topology.gpus[2].hidden_by = "somebody";
  const SteadyClock clock;
  const Devices devices = open_gpus("", topology, clock);
  EXPECT_EQ(devices[0]->info().gpu, GpuId{1});
  EXPECT_EQ(devices[0]->info().numa_node, NumaId{3});
  EXPECT_EQ(devices[1]->info().gpu, std::nullopt);
  EXPECT_EQ(devices[3]->info().gpu, GpuId{0});
}

TEST_F(GpuBackend, CutsAGpuByMasksOfComputeUnits) {
  const Devices devices = open("1/40+64");
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1]->info().name, "gpu:1.1");
  EXPECT_EQ(stub.last_mask, (std::vector<std::uint32_t>{0, 0xffffff00, 0xffffffff, 0xff}));
}

TEST_F(GpuBackend, CutsAGpuOfSeveralDiesBetweenThemOnly) {
  stub.arch = "gfx942:sramecc+";
  stub.compute_units = 304;
  EXPECT_EQ(open("0/8").size(), 8u);
  EXPECT_NE(error_of("0/40+264").find("multiples of 38"), std::string::npos);
}

TEST_F(GpuBackend, SaysThatThereIsNoGpu) {
  stub.devices = 0;
  EXPECT_NE(error_of("").find("no GPU"), std::string::npos);
}

TEST_F(GpuBackend, LeavesOutAGpuThatRunsNothingAndSaysWhy) {
  stub.dead = {1};
  const Devices devices = open();
  ASSERT_EQ(devices.size(), 3u);
  ASSERT_FALSE(devices[0]->info().notes.empty());
  EXPECT_NE(devices[0]->info().notes[0].find("gpu:1 is left out"), std::string::npos);
  EXPECT_NE(error_of("1").find("gpu:1"), std::string::npos) << "a GPU that was named must work";
}

TEST_F(GpuBackend, RunsEveryItemOnceOverSeveralGpus) {
  auto kernel = std::make_shared<CountingKernel>(20'000, 100ns);
  Scheduler scheduler(open());
  const Report report = scheduler.run(20'000, kernel);
  EXPECT_EQ(report.items_done, 20'000u);
  kernel->expect_all_once();
}

TEST_F(GpuBackend, CountsNoChunkWhoseEventCouldNotBeRecorded) {
  Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const CountingKernel kernel(100, 1us);
  stub.record = hipErrorInvalidHandle;
  Chunk chunk;
  chunk.end = 100;
  const auto failure = device.launch(kernel, chunk, 1);
  ASSERT_TRUE(failure.has_value());
  EXPECT_NE(failure->message.find("hipEventRecord"), std::string::npos);
  EXPECT_FALSE(device.poll().has_value()) << "an event without a record reads as complete";
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(GpuBackend, NeverSeesAnEndBeforeTheLaunchHasEnded) {
  Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const CountingKernel kernel(1, 20us);
  Chunk chunk;
  chunk.end = 1;
  std::chrono::steady_clock::time_point begin[2];
  std::uint64_t launched = 0;
  for (std::uint64_t ended = 0; ended < 2'000;) {
    while (launched < ended + 2) {
      begin[launched % 2] = std::chrono::steady_clock::now();
      ASSERT_FALSE(device.launch(kernel, chunk, launched++).has_value());
    }
    if (const auto completion = device.poll()) {
      ASSERT_EQ(completion->launch, ended);
      ASSERT_GE(std::chrono::steady_clock::now() - begin[ended % 2], 20us);
      ++ended;
    }
  }
}

TEST_F(GpuBackend, LetsOtherGpusGoOnWhileTheQueriesOfOneStall) {
  std::atomic<int> queries{0};
  stub.on_query = [&](int device) {
    if (device == 2 && ++queries % 10 == 0) std::this_thread::sleep_for(40ms);
    return hipSuccess;
  };
  auto kernel = std::make_shared<CountingKernel>(4'000, 20us);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:10";
  Scheduler scheduler(open());
  const Report report = scheduler.run(4'000, kernel, options);
  kernel->expect_all_once();
  std::uint64_t others = 0;
  for (const std::size_t other : {0u, 1u, 3u}) others += report.devices[other].items;
  EXPECT_GT(others / 3, report.devices[2].items);
  EXPECT_GT(report.devices[2].slow_calls, 0u);
  EXPECT_NE(to_text(report).find("took longer than 10 ms"), std::string::npos);
}

TEST_F(GpuBackend, AsksForNoPeersOfASingleGpu) {
  open("3");
  EXPECT_EQ(stub.peers_asked, 0);
  EXPECT_EQ(stub.peers_enabled, 0);
}

TEST_F(GpuBackend, EnablesOnlyPeersThatCanBeReached) {
  stub.unreachable = {{0, 1}, {2, 3}};
  const Devices devices = open();
  EXPECT_EQ(stub.peers_enabled, 10);
  EXPECT_TRUE(devices[0]->info().notes.empty());
}

TEST_F(GpuBackend, TakesPeersThatAreEnabledAlreadyForEnabled) {
  stub.enable_peer = hipErrorPeerAccessAlreadyEnabled;
  for (int round = 0; round < 2; ++round) {
    const Devices devices = open();
    EXPECT_TRUE(devices[0]->info().notes.empty());
    EXPECT_EQ(hipGetLastError(), hipSuccess);
  }
}

TEST_F(GpuBackend, SaysWhichPeersCouldNotBeEnabled) {
  stub.enable_peer = hipErrorInvalidDevice;
  const Devices devices = open("0,1");
  ASSERT_EQ(devices[0]->info().notes.size(), 2u);
  EXPECT_NE(devices[0]->info().notes[0].find("gpu:0 to gpu:1"), std::string::npos);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(GpuBackend, CallsEachGpuWithItselfAsTheCurrentOne) {
  ASSERT_EQ(hipSetDevice(2), hipSuccess);
  Scheduler scheduler(open());
  scheduler.launch(1000, [](const Chunk& chunk) {
    hip_stub::enqueue(static_cast<hipStream_t>(chunk.stream), 1us, [] {});
    static_cast<void>(hipSetDevice(0));
  });
  for (const auto& [of_stream, current] : stub.launched) EXPECT_EQ(of_stream, current);
  int callers = -1;
  EXPECT_EQ(hipGetDevice(&callers), hipSuccess);
  EXPECT_EQ(callers, 2);
}

TEST_F(GpuBackend, RetiresAGpuWhoseLaunchFailsAndRunsItsItemsElsewhere) {
  std::atomic<int> queries{0};
  stub.on_query = [&](int device) { return device == 1 && ++queries > 5 ? hipErrorLaunchFailure : hipSuccess; };
  auto kernel = std::make_shared<CountingKernel>(8'000, 1us);
  JobOptions options;
  options.granule_items = 1;
  Scheduler scheduler(open());
  const Report report = scheduler.run(8'000, kernel, options);
  EXPECT_EQ(report.items_done, 8'000u);
  EXPECT_TRUE(report.devices[1].failed);
  EXPECT_NE(report.devices[1].failure.find("gpu:1"), std::string::npos);
}

TEST_F(GpuBackend, GivesUpAGpuWhoseContextIsLost) {
  Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const CountingKernel kernel(100, 1us);
  Chunk chunk;
  chunk.end = 100;
  ASSERT_FALSE(device.launch(kernel, chunk, 1).has_value());
  stub.context_lost = true;
  std::this_thread::sleep_for(1ms);
  const auto completion = device.poll();
  ASSERT_TRUE(completion && completion->failure);
  EXPECT_EQ(completion->failure->kind, Failure::Kind::lost);
  const auto later = device.launch(kernel, chunk, 2);
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->kind, Failure::Kind::lost);
  stub.context_lost = false;
}

using GpuExit = GpuBackend;

void use(Scheduler& scheduler) {
  scheduler.run(100, std::make_shared<CountingKernel>(100, 1us));
}

TEST_F(GpuExit, CallsNothingAfterMainWhenASchedulerIsGlobal) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        static Scheduler scheduler(open());
        use(scheduler);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(GpuExit, CallsNothingAfterMainWhenASchedulerIsNeverDestroyed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto* const scheduler = new Scheduler(open());
        use(*scheduler);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(GpuExit, LeavesByTheCodeThatABodyExitsWith) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto* const scheduler = new Scheduler(open());
        scheduler->launch(100, [](const Chunk&) { std::exit(3); });
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace skua
