#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <decide/nearness.hpp>

namespace skua {
namespace {

void add(std::vector<DeviceInfo>& devices, std::optional<GpuId> gpu, std::optional<NumaId> node = std::nullopt) {
  DeviceInfo info;
  info.gpu = gpu;
  info.numa_node = node;
  devices.push_back(info);
}

/// All devices in the order of their nearness to one.
std::vector<std::uint32_t> order(const std::vector<DeviceInfo>& devices, const Topology& topology, std::uint32_t from) {
  std::vector<const DeviceInfo*> infos;
  for (const DeviceInfo& info : devices) infos.push_back(&info);
  const Nearness nearness(infos, topology);
  std::vector<std::uint32_t> order(devices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return nearness.distance(from, a) < nearness.distance(from, b); });
  return order;
}

/// GPUs in a row: 0-1, 1-2, 2-3 are joined, the rest by way of these.
Topology chain_of_four() {
  Topology topology;
  topology.gpus.resize(4);
  for (std::uint32_t from = 0; from < 4; ++from) {
    for (std::uint32_t to = 0; to < 4; ++to) {
      if (from == to) continue;
      Link link;
      link.from = GpuId{from};
      link.to = GpuId{to};
      link.kind = LinkKind::xgmi;
      link.hops = from < to ? to - from : from - to;
      topology.links.push_back(link);
    }
  }
  return topology;
}

TEST(Nearness, FollowsTheGraphsHops) {
  std::vector<DeviceInfo> devices;
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) add(devices, GpuId{gpu});
  EXPECT_EQ(order(devices, chain_of_four(), 0), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(order(devices, chain_of_four(), 3), (std::vector<std::uint32_t>{3, 2, 1, 0}));
}

TEST(Nearness, PutsPartsOfTheSameGpuFirst) {
  std::vector<DeviceInfo> devices;
  add(devices, GpuId{0});
  add(devices, GpuId{1});
  add(devices, GpuId{0});
  EXPECT_EQ(order(devices, chain_of_four(), 0), (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST(Nearness, PutsTheSameNumaNodeBeforeOthersOnTheHost) {
  std::vector<DeviceInfo> devices;
  for (const std::uint32_t node : {0u, 1u, 0u, 1u}) add(devices, std::nullopt, NumaId{node});
  EXPECT_EQ(order(devices, Topology{}, 0), (std::vector<std::uint32_t>{0, 2, 1, 3}));
}

TEST(Nearness, StartsAtDifferentVictimsWhenAllAreAlike) {
  const std::vector<DeviceInfo> devices(4);
  for (std::uint32_t thief = 0; thief < 4; ++thief) {
    EXPECT_EQ(order(devices, Topology{}, thief)[1], (thief + 1) % 4);
  }
}

TEST(Nearness, CountsAGpuThatTheTopologyDoesNotListAsFarthestOfTheGpus) {
  std::vector<DeviceInfo> devices;
  add(devices, GpuId{0});
  add(devices, std::nullopt);
  add(devices, GpuId{9});
  add(devices, GpuId{3});
  EXPECT_EQ(order(devices, chain_of_four(), 0), (std::vector<std::uint32_t>{0, 3, 2, 1}));
}

}  // namespace
}  // namespace skua
