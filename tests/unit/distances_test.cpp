#include "distances.hpp"

#include <gtest/gtest.h>

#include "support/devices.hpp"

namespace skua {
namespace {

class PlacedDevice final : public Device {
 public:
  explicit PlacedDevice(DeviceInfo info) : info_(std::move(info)) {}
  const DeviceInfo& info() const noexcept override { return info_; }
  std::optional<Failure> launch(const Kernel&, const Chunk&, std::uint64_t) override { return std::nullopt; }
  std::optional<Completion> poll() override { return std::nullopt; }

 private:
  DeviceInfo info_;
};

void add(Devices& devices, std::optional<GpuId> gpu, std::optional<NumaId> node = std::nullopt) {
  DeviceInfo info;
  info.gpu = gpu;
  info.numa_node = node;
  devices.push_back(std::make_unique<PlacedDevice>(info));
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

TEST(Distances, FollowTheGraphsHops) {
  Devices devices;
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) add(devices, GpuId{gpu});
  const auto distances = device_distances(devices, chain_of_four());
  EXPECT_EQ(distances[0], (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(distances[3], (std::vector<std::uint32_t>{3, 2, 1, 0}));
}

TEST(Distances, PutPartsOfTheSameGpuFirst) {
  Devices devices;
  add(devices, GpuId{0});
  add(devices, GpuId{1});
  add(devices, GpuId{0});
  EXPECT_EQ(device_distances(devices, chain_of_four())[0], (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST(Distances, PutTheSameNumaNodeBeforeOthersOnTheHost) {
  Devices devices;
  for (const std::uint32_t node : {0u, 1u, 0u, 1u}) add(devices, std::nullopt, NumaId{node});
  EXPECT_EQ(device_distances(devices, Topology{})[0], (std::vector<std::uint32_t>{0, 2, 1, 3}));
}

TEST(Distances, StartAtDifferentVictimsWhenAllAreAlike) {
  const Devices devices = test::host_devices(4);
  const auto distances = device_distances(devices, Topology{});
  for (std::uint32_t thief = 0; thief < 4; ++thief) EXPECT_EQ(distances[thief][(thief + 1) % 4], 1u);
}

}  // namespace
}  // namespace skua
