// NVIDIA GPUs and NVLink.
#include <probe/nvml.hpp>

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <probe/merge.hpp>

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Link& pair(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  return *topology.link(GpuId{from}, GpuId{to});
}

NvmlGpu gpu_on_bus(std::uint8_t bus) {
  NvmlGpu gpu;
  gpu.pci = PciAddress{0, bus, 0, 0};
  return gpu;
}

void join(NvmlFacts& facts, std::size_t from, std::size_t to, std::uint32_t version) {
  facts.gpus[from].nvlinks.push_back({version, NvlinkPeer::gpu, facts.gpus[to].pci});
  facts.gpus[to].nvlinks.push_back({version, NvlinkPeer::gpu, facts.gpus[from].pci});
}

TEST(ProbeNvml, AsksTheLibrary) {
  const Topology topology = merge({probe_nvml(SKUA_NVML_STUB)}).topology;
  ASSERT_THAT(topology.gpus, SizeIs(4));
  const Gpu& gpu = topology.gpus[1];
  EXPECT_EQ(gpu.name, "stub");
  EXPECT_EQ(gpu.arch, "sm_80");
  EXPECT_EQ(gpu.pci->to_text(), "0001:11:00.0");
  EXPECT_EQ(gpu.compute_units, 108u);
  EXPECT_EQ(gpu.memory_bytes, 1000u);
  EXPECT_EQ(gpu.basis, Basis::nvml);
  EXPECT_EQ(pair(topology, 0, 1).kind, LinkKind::nvlink);
  EXPECT_EQ(pair(topology, 0, 1).count, 2u);
  EXPECT_EQ(pair(topology, 0, 1).bandwidth_gb_per_s, 50.0);
}

TEST(ProbeNvml, GpusOnSwitchesReachEachOtherWithAllTheirLinks) {
  const Topology topology = merge({probe_nvml(SKUA_NVML_STUB)}).topology;
  EXPECT_EQ(pair(topology, 3, 2).kind, LinkKind::nvlink);
  EXPECT_EQ(pair(topology, 3, 2).count, 12u);
  EXPECT_EQ(pair(topology, 3, 2).hops, 1u);
  EXPECT_EQ(pair(topology, 3, 2).bandwidth_gb_per_s, 300.0);
  EXPECT_EQ(pair(topology, 0, 2).kind, LinkKind::pcie);
}

TEST(ProbeNvml, ALostGpuTakesOnlyItselfDownAndOneThatIsForbiddenIsNotMissed) {
  setenv("NVML_STUB", "lost and forbidden", 1);
  const Topology topology = merge({probe_nvml(SKUA_NVML_STUB)}).topology;
  unsetenv("NVML_STUB");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(topology.gpus[0].pci->to_text(), "0001:12:00.0");
  EXPECT_EQ(pair(topology, 0, 1).count, 12u);
  EXPECT_THAT(topology.notes, ::testing::ElementsAre("nvml: GPU 0 of 4 has fallen off the bus; it is left out"));
}

TEST(ProbeNvml, WithoutTheLibraryThereIsNothing) {
  EXPECT_THAT(probe_nvml("libthat_is_not_there.so").gpus, IsEmpty());
  EXPECT_THAT(probe_nvml("libthat_is_not_there.so").notes, IsEmpty());
}

TEST(NvmlReading, EveryGenerationHasItsSpeed) {
  const std::pair<std::uint32_t, double> speeds[] = {{1, 20}, {2, 25}, {3, 25}, {4, 25}, {6, 25}, {7, 50}};
  for (const auto& [version, gb_per_s] : speeds) {
    NvmlFacts facts;
    facts.gpus = {gpu_on_bus(1), gpu_on_bus(2)};
    join(facts, 0, 1, version);
    EXPECT_EQ(nvml_reading_from(facts).links.at(0).bandwidth_gb_per_s, gb_per_s) << version;
  }
}

TEST(NvmlReading, ANewGenerationIsCountedButItsSpeedIsUnknown) {
  NvmlFacts facts;
  facts.gpus = {gpu_on_bus(1), gpu_on_bus(2)};
  join(facts, 0, 1, 4);
  join(facts, 0, 1, 77);
  const Topology topology = merge({nvml_reading_from(facts)}).topology;
  EXPECT_EQ(pair(topology, 0, 1).count, 2u);
  EXPECT_FALSE(pair(topology, 0, 1).bandwidth_gb_per_s);
  EXPECT_TRUE(pair(topology, 0, 1).assumed_bandwidth_gb_per_s);
}

TEST(NvmlReading, PairsThatOthersJoinAreReachedInTwoHops) {
  NvmlFacts facts;
  facts.gpus = {gpu_on_bus(1), gpu_on_bus(2), gpu_on_bus(3)};
  join(facts, 0, 1, 2);
  join(facts, 1, 2, 2);
  const Topology topology = merge({nvml_reading_from(facts)}).topology;
  EXPECT_EQ(pair(topology, 0, 2).kind, LinkKind::nvlink);
  EXPECT_EQ(pair(topology, 0, 2).hops, 2u);
  EXPECT_FALSE(pair(topology, 0, 2).count);
  EXPECT_EQ(topology.gpus[2].hive, 0u);
}

TEST(NvmlReading, PcieOnlyGpusKeepTheirLocality) {
  NvmlFacts facts;
  facts.gpus = {gpu_on_bus(1), gpu_on_bus(2)};
  facts.localities = {std::nullopt, Locality::switch_, Locality::bridge, std::nullopt};
  const Topology topology = merge({nvml_reading_from(facts)}).topology;
  EXPECT_EQ(pair(topology, 0, 1).locality, Locality::switch_);
  EXPECT_EQ(pair(topology, 1, 0).locality, Locality::bridge);
}

TEST(NvmlReading, UnitsAreUnknownWhereCoresDoNotTell) {
  NvmlFacts facts;
  facts.gpus = {gpu_on_bus(1)};
  facts.gpus[0].cores = 16896;
  EXPECT_FALSE(nvml_reading_from(facts).gpus[0].compute_units);
  facts.gpus[0].capability_major = 9;
  facts.gpus[0].capability_minor = 0;
  EXPECT_EQ(nvml_reading_from(facts).gpus[0].compute_units, 132u);
}

TEST(NvmlReading, FailureAndPartitioningAreNoted) {
  NvmlFacts facts;
  facts.failure = "refused to start with status 9";
  EXPECT_THAT(nvml_reading_from(facts).notes, Contains(HasSubstr("status 9")));
  facts = {};
  facts.gpus = {gpu_on_bus(1)};
  facts.gpus[0].is_partitioned = true;
  EXPECT_THAT(nvml_reading_from(facts).notes, Contains(HasSubstr("MIG is on")));
}

}  // namespace
}  // namespace skua
