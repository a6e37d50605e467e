// The GPU backend over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gpu/backend.hpp>
#include <skua/input.hpp>

#include "support/counting_kernel.hpp"
#include "support/hip_stub.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;
using test::CountingKernel;

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

/// The GPUs of the stub, of which the first is integrated.
Topology with_an_integrated_gpu(int gpus) {
  Topology topology;
  topology.gpus.resize(static_cast<std::size_t>(gpus));
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    topology.gpus[i].pci = PciAddress::from_text("0000:" + std::string("c") + static_cast<char>('1' + i) + ":00.0");
    topology.gpus[i].integrated = i == 0;
  }
  return topology;
}

TEST_F(GpuBackend, LeavesAnIntegratedGpuOutUnlessItIsNamed) {
  const SteadyClock clock;
  const Topology topology = with_an_integrated_gpu(4);
  const Devices devices = open_gpus("", topology, clock);
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0]->info().name, "gpu:1");
  ASSERT_FALSE(devices[0]->info().notes.empty());
  EXPECT_NE(devices[0]->info().notes[0].find("gpu:0 is left out: it is integrated"), std::string::npos);
  EXPECT_EQ(open_gpus("0,2", topology, clock).size(), 2u);
}

TEST_F(GpuBackend, SaysWhyNoGpuIsLeftWhereTheOnlyOneIsIntegrated) {
  stub.devices = 1;
  const SteadyClock clock;
  try {
    open_gpus("", with_an_integrated_gpu(1), clock);
    FAIL() << "it is not named";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("integrated"), std::string::npos) << error.what();
  }
}

/// The device's next completion; it must come within 5 s.
Completion wait_for(Device& device) {
  const auto until = std::chrono::steady_clock::now() + 5s;
  while (std::chrono::steady_clock::now() < until) {
    if (const auto completion = device.poll()) return *completion;
  }
  ADD_FAILURE() << "nothing has ended";
  return {};
}

Chunk chunk_of(std::uint64_t items) {
  Chunk chunk;
  chunk.end = items;
  return chunk;
}

TEST_F(GpuBackend, EndsALaunchWhoseEventCouldNotBeRecordedWithAFailureAndNotBeforeItsStreamIsEmpty) {
  const Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const CountingKernel kernel(100, 100us);
  stub.record = hipErrorInvalidHandle;
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_FALSE(device.launch(kernel, chunk_of(100), 1).has_value()) << "it runs, so its failure is its end's";
  const Completion completion = wait_for(device);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 10ms) << "an event without a record reads as complete";
  EXPECT_EQ(completion.launch, 1u);
  ASSERT_TRUE(completion.failure.has_value());
  EXPECT_EQ(completion.failure->kind, Failure::Kind::launch);
  EXPECT_NE(completion.failure->message.find("hipEventRecord"), std::string::npos);
  EXPECT_FALSE(completion.whole);
}

/// A launcher of the user's that goes wrong after it has launched.
class ThrowingKernel final : public Kernel, public LaunchCode {
 public:
  void run_on_host(const Chunk&) const override {}
  const Code* code(std::string_view) const noexcept override { return this; }
  void start(const Chunk& chunk) const override {
    hip_stub::enqueue(static_cast<hipStream_t>(chunk.stream), 10ms, [] {});
    static_cast<void>(hipSetDevice(3));
    throw std::runtime_error("after it launched");
  }
};

TEST_F(GpuBackend, EndsALaunchWhoseLauncherThrewNotBeforeItsStreamIsEmpty) {
  const Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const ThrowingKernel kernel;
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_FALSE(device.launch(kernel, chunk_of(100), 1).has_value());
  const Completion completion = wait_for(device);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 10ms);
  ASSERT_TRUE(completion.failure.has_value());
  EXPECT_EQ(completion.failure->kind, Failure::Kind::body);
  EXPECT_EQ(completion.failure->message, "after it launched");
  EXPECT_TRUE(completion.failure->exception);
  int current = -1;
  EXPECT_EQ(hipGetDevice(&current), hipSuccess);
  EXPECT_EQ(current, 0) << "the launcher has turned to another GPU";
}

TEST_F(GpuBackend, RefusesALaunchBeyondThoseThatItHolds) {
  const Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const CountingKernel kernel(10, 1us);
  for (const std::uint64_t number : {1u, 2u}) ASSERT_FALSE(device.launch(kernel, chunk_of(10), number).has_value());
  const auto refused = device.launch(kernel, chunk_of(10), 3);
  ASSERT_TRUE(refused.has_value());
  EXPECT_NE(refused->message.find("2 launches"), std::string::npos);
  for (const auto& count : kernel.runs) EXPECT_EQ(count, 2u) << "what was refused has run";
  for (const std::uint64_t number : {1u, 2u}) EXPECT_EQ(wait_for(device).launch, number);
  EXPECT_EQ(device.info().can.launches_max, 2u);
}

TEST_F(GpuBackend, WorksWhileSomebodyCapturesAStreamAndLeavesTheCaptureWhole) {
  const CountingKernel kernel(10, 1us);
  {
    stub.is_capturing = true;
    const Devices devices = open("0");
    const Memory shared = devices[0]->allocate(std::size_t{1} << 22, MemoryPlace::shared);
    const Memory own = devices[0]->allocate(1 << 20, MemoryPlace::own);
    std::thread([&] {
      devices[0]->attach();
      ASSERT_FALSE(devices[0]->launch(kernel, chunk_of(10), 1).has_value());
      EXPECT_FALSE(wait_for(*devices[0]).failure.has_value());
      ASSERT_FALSE(devices[0]->copy({own.data.get(), shared.data.get(), 1 << 20}, 2).has_value());
      EXPECT_FALSE(wait_for(*devices[0]).failure.has_value());
    }).join();
  }
  EXPECT_FALSE(stub.is_capture_spoilt);
  stub.is_capturing = false;
  kernel.expect_all_once();
}

TEST_F(GpuBackend, TakesNoQueryThatACaptureRefusedForAnEndOrALoss) {
  const Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const CountingKernel kernel(10, 1us);
  ASSERT_FALSE(device.launch(kernel, chunk_of(10), 1).has_value());
  stub.on_query = [](int) { return hipErrorStreamCaptureUnsupported; };
  std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(device.poll().has_value());
  stub.on_query = nullptr;
  EXPECT_FALSE(wait_for(device).failure.has_value());
  EXPECT_FALSE(device.launch(kernel, chunk_of(10), 2).has_value());
  EXPECT_FALSE(wait_for(device).failure.has_value());
}

TEST_F(GpuBackend, MakesNoContextOnAGpuThatWasNotAskedFor) {
  {
    const Devices devices = open("3");
    const Memory shared = devices[0]->allocate(std::size_t{1} << 23, MemoryPlace::shared);
    const Memory own = devices[0]->allocate(100, MemoryPlace::own);
  }
  EXPECT_EQ(stub.contexts, (std::set<int>{3})) << "also where all is given back";
}

TEST_F(GpuBackend, LeavesTheCallersErrorAndCurrentGpuAlone) {
  ASSERT_EQ(hipSetDevice(2), hipSuccess);
  ASSERT_EQ(hipSetDevice(77), hipErrorInvalidDevice);
  {
    const Devices devices = open();
    EXPECT_THROW(open("9"), InputError);
    const Memory shared = devices[0]->allocate(std::size_t{1} << 24, MemoryPlace::shared);
    const Memory own = devices[3]->allocate(100, MemoryPlace::own);
  }
  int current = -1;
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDevice(&current), hipSuccess);
  EXPECT_EQ(current, 2);
}

TEST_F(GpuBackend, SaysOfWhatADeviceHasNoMemoryLeft) {
  const Devices devices = open("1");
  stub.allocate = hipErrorOutOfMemory;
  for (const MemoryPlace place : {MemoryPlace::own, MemoryPlace::shared}) {
    try {
      devices[0]->allocate(std::size_t{1} << 40, place);
      ADD_FAILURE() << "it was given";
    } catch (const MemoryError& error) {
      EXPECT_NE(std::string(error.what()).find("gpu:1"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("1099511627776 bytes"), std::string::npos) << error.what();
    }
  }
}

TEST_F(GpuBackend, CopiesWithoutWaitingAndTellsTheEndsByTheirNumbers) {
  const Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const Memory from = device.allocate(1000, MemoryPlace::shared);
  const Memory to = device.allocate(1000, MemoryPlace::own);
  std::memset(from.data.get(), 7, 1000);
  const CountingKernel kernel(10, 1ms);
  ASSERT_FALSE(device.launch(kernel, chunk_of(10), 1).has_value());
  for (std::uint64_t number = 2; number < 10; ++number) {
    ASSERT_FALSE(device.copy({to.at(100 * number), from.at(100 * number), 100}, number).has_value());
  }
  for (std::uint64_t number = 2; number < 10; ++number) {
    const Completion completion = wait_for(device);
    EXPECT_EQ(completion.launch, number) << "copies do not wait for launches";
    EXPECT_TRUE(completion.whole);
  }
  EXPECT_EQ(*reinterpret_cast<const unsigned char*>(to.at(999)), 7);
  EXPECT_EQ(wait_for(device).launch, 1u);
}

TEST_F(GpuBackend, StartsNoCopyThatTheRuntimeRefuses) {
  const Devices devices = open("0");
  devices[0]->attach();
  const Memory memory = devices[0]->allocate(1000, MemoryPlace::shared);
  stub.copy = hipErrorInvalidValue;
  const auto refused = devices[0]->copy({memory.at(500), memory.at(0), 500}, 1);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->kind, Failure::Kind::launch);
  EXPECT_NE(refused->message.find("hipMemcpyAsync"), std::string::npos);
  EXPECT_FALSE(devices[0]->poll().has_value());
}

TEST_F(GpuBackend, EndsACopyWhoseEventCouldNotBeRecordedWithAFailure) {
  const Devices devices = open("0");
  devices[0]->attach();
  const Memory memory = devices[0]->allocate(1000, MemoryPlace::shared);
  stub.record = hipErrorInvalidHandle;
  ASSERT_FALSE(devices[0]->copy({memory.at(500), memory.at(0), 500}, 1).has_value());
  const Completion completion = wait_for(*devices[0]);
  ASSERT_TRUE(completion.failure.has_value());
  EXPECT_FALSE(completion.whole);
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

TEST_F(GpuBackend, GivesUpAGpuWhoseContextIsLostAndEndsAllThatItHeld) {
  const Devices devices = open("0");
  Device& device = *devices[0];
  device.attach();
  const CountingKernel kernel(100, 1us);
  const Memory memory = device.allocate(1000, MemoryPlace::shared);
  for (const std::uint64_t number : {1u, 2u}) ASSERT_FALSE(device.launch(kernel, chunk_of(100), number).has_value());
  ASSERT_FALSE(device.copy({memory.at(500), memory.at(0), 500}, 3).has_value());
  stub.context_lost = true;
  std::this_thread::sleep_for(1ms);
  std::set<std::uint64_t> ended;
  for (int i = 0; i < 3; ++i) {
    const auto completion = device.poll();
    ASSERT_TRUE(completion && completion->failure);
    EXPECT_EQ(completion->failure->kind, Failure::Kind::lost);
    EXPECT_FALSE(completion->whole);
    ended.insert(completion->launch);
  }
  EXPECT_EQ(ended, (std::set<std::uint64_t>{1, 2, 3}));
  EXPECT_FALSE(device.poll().has_value());
  const auto later = device.launch(kernel, chunk_of(100), 4);
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->kind, Failure::Kind::lost);
  EXPECT_EQ(device.copy({memory.at(500), memory.at(0), 500}, 5)->kind, Failure::Kind::lost);
  stub.context_lost = false;
}

/// Neither code for GPUs nor a launcher.
class HostKernel final : public Kernel {
 public:
  void run_on_host(const Chunk&) const override {}
};

TEST_F(GpuBackend, RunsNoKernelWithoutCodeForGpus) {
  const Devices devices = open("0");
  devices[0]->attach();
  EXPECT_FALSE(devices[0]->can_run(HostKernel()));
  EXPECT_TRUE(devices[0]->can_run(CountingKernel(1, 1us)));
  EXPECT_TRUE(devices[0]->launch(HostKernel(), chunk_of(1), 1).has_value());
}

}  // namespace
}  // namespace skua
