// The pool of page-locked memory, over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gpu/backend.hpp>
#include <gpu/memory.hpp>

#include "support/hip_stub.hpp"

namespace skua {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

class GpuMemory : public testing::Test {
 protected:
  /// What is given back in the background is given back soon.
  std::size_t bytes_soon(std::size_t expected) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (;;) {
      {
        const std::lock_guard lock(hip_stub::mutex());
        if (stub.host_bytes_alive == expected || std::chrono::steady_clock::now() > until) return stub.host_bytes_alive;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::shared_ptr<void> allocate(std::size_t bytes) { return allocate_shared_memory(bytes, 0); }

  hip_stub::State& stub = hip_stub::reset();
};

TEST_F(GpuMemory, IsSharedByLoopsOfDifferentSizes) {
  const GpuMemoryUser user;
  allocate(1 * mib);
  const int made = stub.host_blocks_made;
  for (const std::size_t bytes : {mib, mib - 5, mib / 2 + 1, mib / 3, mib / 9}) allocate(bytes);
  EXPECT_EQ(stub.host_blocks_made, made);
  const auto one = allocate(mib / 2);
  const auto other = allocate(mib / 2);
  EXPECT_NE(one, other);
  EXPECT_EQ(stub.host_blocks_made, made + 1);
}

TEST_F(GpuMemory, OfASmallRequestIsNotABlockThatALargeOneWillWant) {
  const GpuMemoryUser user;
  allocate(64 * mib);
  const auto small = allocate(1000);
  const int made = stub.host_blocks_made;
  allocate(64 * mib);
  EXPECT_EQ(stub.host_blocks_made, made);
}

TEST_F(GpuMemory, IsGivenBackBeyondABound) {
  const GpuMemoryUser user;
  std::vector<std::shared_ptr<void>> all;
  for (int i = 0; i < 12; ++i) all.push_back(allocate(64 * mib));
  EXPECT_EQ(stub.host_bytes_alive, 12 * 64 * mib);
  all.clear();
  EXPECT_EQ(bytes_soon(pooled_bytes_max), pooled_bytes_max);
  const auto huge = allocate(4 * pooled_bytes_max);
  EXPECT_EQ(stub.host_bytes_alive, 5 * pooled_bytes_max);
}

TEST_F(GpuMemory, IsGivenBackWithTheLastUser) {
  auto kept = std::make_unique<GpuMemoryUser>();
  {
    const GpuMemoryUser user;
    allocate(mib);
  }
  EXPECT_EQ(stub.host_bytes_alive, mib) << "somebody may still want it";
  std::shared_ptr<void> outlives = allocate(4 * mib);
  kept.reset();
  EXPECT_EQ(stub.host_bytes_alive, 4 * mib) << "it is in use";
  outlives.reset();
  EXPECT_EQ(bytes_soon(0), 0u);
}

TEST_F(GpuMemory, IsSharedByGpusNearOneNumaNodeOnly) {
  const GpuMemoryUser user;
  for (const int near_first : {0, 1}) set_memory_node(near_first, NumaId{0});
  for (const int near_second : {2, 3}) set_memory_node(near_second, NumaId{1});
  for (const int ordinal : {0, 1, 2, 3}) allocate_shared_memory(mib, ordinal);
  EXPECT_EQ(stub.host_blocks_of, (std::map<int, int>{{0, 1}, {2, 1}}));
  const auto held = allocate_shared_memory(mib, 3);
  allocate_shared_memory(mib, 2);
  EXPECT_EQ(stub.host_blocks_of, (std::map<int, int>{{0, 1}, {2, 2}})) << "the other node's block is not taken";
  for (const int ordinal : {0, 1, 2, 3}) set_memory_node(ordinal, std::nullopt);
}

TEST_F(GpuMemory, BeyondABoundIsThatOfTheLargestBlocksOfAllNodes) {
  const GpuMemoryUser user;
  set_memory_node(0, NumaId{0});
  set_memory_node(1, NumaId{1});
  allocate_shared_memory(pooled_bytes_max, 0);
  allocate_shared_memory(mib, 1);
  EXPECT_EQ(bytes_soon(mib), mib);
  for (const int ordinal : {0, 1}) set_memory_node(ordinal, std::nullopt);
}

TEST_F(GpuMemory, OfMarksIsNearTheirGpu) {
  Topology topology;
  topology.gpus.resize(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    topology.gpus[i].pci = PciAddress{0, static_cast<std::uint8_t>(0xc1 + i), 0, 0};
    topology.gpus[i].numa_node = NumaId{i / 2};
  }
  const SteadyClock clock;
  const Devices devices = open_gpus("1,2,3", topology, clock);
  EXPECT_GT(stub.host_blocks_of[1], 0);
  EXPECT_GT(stub.host_blocks_of[2], 0);
}

TEST_F(GpuMemory, OfDevicesIsGivenBackWithThem) {
  for (int round = 0; round < 3; ++round) {
    const SteadyClock clock;
    {
      const Devices devices = open_gpus("0/2,1", Topology{}, clock);
      devices[0]->allocate(10 * mib, MemoryPlace::shared);
    }
    EXPECT_EQ(stub.host_bytes_alive, 0u);
  }
}

}  // namespace
}  // namespace skua
