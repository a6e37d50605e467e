// The GPUs of the runtime, and their places in the Topology.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <gpu/list.hpp>

#include "support/amd_machines.hpp"
#include "support/hip_stub.hpp"

namespace skua {
namespace {

Gpu known_at(const std::string& address, std::optional<std::uint32_t> partition = {}) {
  Gpu gpu;
  gpu.pci = PciAddress::from_text(address);
  gpu.partition = partition;
  return gpu;
}

/// The places of GPUs at these addresses; -1 for none.
std::vector<int> places(const std::vector<std::string>& addresses, const std::vector<Gpu>& known) {
  Topology topology;
  topology.gpus = known;
  std::vector<RuntimeGpu> gpus(addresses.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i].pci = PciAddress::from_text(addresses[i]);
  find_in_topology(gpus, topology);
  std::vector<int> found;
  for (const RuntimeGpu& gpu : gpus) found.push_back(gpu.id ? static_cast<int>(gpu.id->index) : -1);
  return found;
}

TEST(GpuPlaces, AreFoundByAddress) {
  Gpu hidden = known_at("0000:c2:00.0");
  hidden.hidden_by = "somebody";
  EXPECT_EQ(places({"0000:c1:00.0", "0000:c2:00.0", "0000:c3:00.0", "0001:c1:00.0", "nowhere"},
                   {known_at("0000:c3:00.0"), known_at("0001:c1:00.0"), known_at("0000:c1:00.0"), hidden}),
            (std::vector<int>{2, -1, 0, 1, -1}));
}

TEST(GpuPlaces, OfFunctionsThatAreGpusAreTheirs) {
  EXPECT_EQ(places({"0000:c1:00.1", "0000:c1:00.0"}, {known_at("0000:c1:00.0"), known_at("0000:c1:00.1")}),
            (std::vector<int>{1, 0}));
}

TEST(GpuPlaces, OfFunctionsThatArePartitionsAreThose) {
  std::vector<Gpu> known;
  for (const char* address : {"0000:c1:00.0", "0000:c5:00.0"}) {
    for (const std::uint32_t partition : {2u, 0u, 3u, 1u}) known.push_back(known_at(address, partition));
  }
  EXPECT_EQ(places({"0000:c5:00.3", "0000:c1:00.0", "0000:c1:00.1", "0000:c1:00.7"}, known),
            (std::vector<int>{6, 1, 3, -1}));
}

TEST(GpuPlaces, OfPartitionsWithoutFunctionsGoByOrder) {
  std::vector<Gpu> known;
  for (const std::uint32_t partition : {0u, 1u, 2u, 3u}) known.push_back(known_at("0000:c1:00.0", partition));
  const std::vector<std::string> same(4, "0000:c1:00.0");
  EXPECT_EQ(places(same, known), (std::vector<int>{0, 1, 2, 3}));
  known[0].hidden_by = known[2].hidden_by = "ROCR_VISIBLE_DEVICES";
  EXPECT_EQ(places({same[0], same[1]}, known), (std::vector<int>{1, 3}));
}

TEST(GpuPlaces, AreGivenToNobodyTwice) {
  EXPECT_EQ(places({"0000:c1:00.0", "0000:c1:00.0"}, {known_at("0000:c1:00.0")}), (std::vector<int>{0, -1}));
}

class GpuList : public testing::Test {
 protected:
  hip_stub::State& stub = hip_stub::reset();
};

TEST_F(GpuList, TakesXcdsFromTheRuntimeWhereThatTellsThem) {
  stub.arch = "gfx942:sramecc+:xnack-";
  stub.xcds = 6;
  Topology topology;
  topology.gpus = {known_at("0000:c1:00.0")};
  topology.gpus[0].xcds = 5;
  topology.gpus[0].shader_engines = 20;
  topology.gpus[0].hardware_queues = 23;
  for (const auto& [version, xcds] : {std::pair{hip_stub::hip_6, 5u}, std::pair{hip_stub::hip_7, 6u}}) {
    stub.version = version;
    const std::vector<RuntimeGpu> gpus = list_gpus(topology);
    EXPECT_EQ(gpus[0].arch, "gfx942");
    EXPECT_EQ(gpus[0].xcds, xcds);
    EXPECT_EQ(gpus[0].shader_engines, 20u);
    EXPECT_EQ(gpus[0].hardware_queues, 23u);
  }
  EXPECT_EQ(list_gpus(topology)[1].xcds, 6u) << "the Topology does not know it";
  stub.version = hip_stub::hip_6;
  EXPECT_EQ(list_gpus(topology)[1].xcds, std::nullopt);
  EXPECT_EQ(list_gpus(topology)[1].hardware_queues, std::nullopt);
}

class GpuListOf : public testing::TestWithParam<test::AmdMachine> {};

INSTANTIATE_TEST_SUITE_P(Machines, GpuListOf, testing::ValuesIn(test::amd_machines()), test::name_of_machine);

TEST_P(GpuListOf, FindsEveryGpuInTheGraphOfItsMachine) {
  hip_stub::become(GetParam());
  const Topology topology = GetParam().topology();
  const std::vector<RuntimeGpu> gpus = list_gpus(topology);
  ASSERT_EQ(gpus.size(), topology.gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    EXPECT_EQ(gpus[i].id, GpuId{static_cast<std::uint32_t>(i)});
    EXPECT_EQ(gpus[i].xcds, GetParam().xcds);
    EXPECT_EQ(gpus[i].shader_engines, GetParam().shader_engines);
    EXPECT_EQ(gpus[i].hardware_queues, GetParam().hardware_queues);
    EXPECT_EQ(topology.gpus[i].numa_node, NumaId{i < gpus.size() / 2 ? 0u : 1u});
  }
}

}  // namespace
}  // namespace skua
