// KFD trees: what is read from each small machine in tests/fixtures/kfd.
#include <probe/kfd.hpp>

#include <chrono>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <probe/kfd_tree.hpp>
#include <probe/merge.hpp>
#include "support/kfd_fixture.hpp"

namespace skua {
namespace {

using test::KfdFixture;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Topology topology_of(const KfdFixture& fixture) {
  return merge({probe_kfd(fixture.nodes())}).topology;
}
Topology machine(const std::string& name) {
  return topology_of(KfdFixture::from_file(name));
}

const Link& pair(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  return *topology.link(GpuId{from}, GpuId{to});
}

std::vector<std::uint32_t> nearest(const Topology& topology, std::uint32_t gpu) {
  std::vector<std::uint32_t> indices;
  for (const GpuId id : topology.nearest(GpuId{gpu})) indices.push_back(id.index);
  return indices;
}

TEST(ProbeKfd, HopsOfAChainGrowWithTheDistance) {
  const Topology topology = machine("chain");
  EXPECT_EQ(pair(topology, 0, 1).hops, 1u);
  EXPECT_EQ(pair(topology, 0, 2).hops, 2u);
  EXPECT_EQ(pair(topology, 0, 3).hops, 3u);
  EXPECT_EQ(nearest(topology, 0), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ProbeKfd, AnIndirectPairHasNeitherCountNorDeclaredBandwidth) {
  const Topology topology = machine("chain");
  const Link& ends = pair(topology, 0, 3);
  EXPECT_EQ(ends.kind, LinkKind::xgmi);
  EXPECT_FALSE(ends.count);
  EXPECT_FALSE(ends.bandwidth_gb_per_s);
  EXPECT_EQ(ends.assumed_bandwidth_gb_per_s, 50.0);
  EXPECT_EQ(pair(topology, 1, 2).count, 2u);
  EXPECT_EQ(pair(topology, 1, 2).bandwidth_gb_per_s, 100.0);
}

TEST(ProbeKfd, TellsHivesWithIdsAbove63BitsApart) {
  const Topology topology = machine("two_hives");
  EXPECT_EQ(topology.gpus[0].hive, 0u);
  EXPECT_EQ(topology.gpus[1].hive, 1u);
  EXPECT_EQ(topology.gpus[2].hive, 0u);
  EXPECT_EQ(topology.gpus[3].hive, 1u);
  EXPECT_EQ(pair(topology, 0, 2).count, 4u);
}

TEST(ProbeKfd, BetweenHivesThereIsPcieOverTheSystem) {
  const Topology topology = machine("two_hives");
  const Link& between = pair(topology, 0, 1);
  EXPECT_EQ(between.kind, LinkKind::pcie);
  EXPECT_EQ(between.locality, Locality::system);
  EXPECT_FALSE(between.hops);
  EXPECT_FALSE(between.bandwidth_gb_per_s);
  EXPECT_TRUE(between.assumed_bandwidth_gb_per_s);
}

class Partitions : public ::testing::TestWithParam<const char*> {};

TEST_P(Partitions, AreSixDevicesAtTwoAddresses) {
  const Topology topology = machine(GetParam());
  ASSERT_THAT(topology.gpus, SizeIs(6));
  for (std::uint32_t gpu = 0; gpu < 6; ++gpu) {
    EXPECT_EQ(topology.gpus[gpu].pci->to_text(), gpu < 3 ? "0000:21:00.0" : "0000:61:00.0");
    EXPECT_EQ(topology.gpus[gpu].partition, gpu % 3);
    EXPECT_EQ(topology.gpus[gpu].numa_node, NumaId{gpu / 3});
  }
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST_P(Partitions, OfOneGpuAreOnePackageAndTheFirstVictims) {
  const Topology topology = machine(GetParam());
  // Pairs of the second GPU are not even listed.
  for (std::uint32_t from = 0; from < 6; ++from) {
    for (std::uint32_t to = 0; to < 6; ++to) {
      if (from == to) continue;
      EXPECT_EQ(pair(topology, from, to).kind == LinkKind::package, from / 3 == to / 3);
    }
  }
  EXPECT_EQ(pair(topology, 0, 1).bandwidth_gb_per_s, 819.2);
  const auto order = nearest(topology, 4);
  EXPECT_THAT((std::vector<std::uint32_t>{order[0], order[1]}), ::testing::UnorderedElementsAre(3, 5));
}

INSTANTIATE_TEST_SUITE_P(BothEncodings, Partitions,
                         ::testing::Values("partitions_in_function", "partitions_in_upper_bits"));

TEST(ProbeKfd, ReadsNodesInNumberOrderDespiteGaps) {
  const Topology topology = machine("gaps");
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(topology.gpus[0].pci->bus, 0x04);
  EXPECT_EQ(topology.gpus[1].pci->bus, 0x09);
  EXPECT_EQ(topology.gpus[2].pci->bus, 0x0a);
  EXPECT_EQ(pair(topology, 1, 2).hops, 1u);
  EXPECT_EQ(pair(topology, 0, 1).kind, LinkKind::pcie);
}

TEST(ProbeKfd, KeepsNodeOrderAndDomains) {
  const Topology topology = machine("domains");
  std::vector<std::string> addresses;
  for (const Gpu& gpu : topology.gpus) addresses.push_back(gpu.pci->to_text());
  EXPECT_EQ(addresses,
            (std::vector<std::string>{"0000:c3:00.0", "0000:83:00.0", "0000:43:00.0", "0000:03:00.0", "0001:03:00.0"}));
  EXPECT_EQ(pair(topology, 0, 1).hops, 2u);
  EXPECT_EQ(pair(topology, 2, 3).hops, 1u);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ProbeKfd, ADeadLinkMeansTwoHopsOverTheWiderWay) {
  const Topology topology = machine("dead_link");
  EXPECT_EQ(pair(topology, 0, 3).hops, 2u);
  EXPECT_EQ(pair(topology, 0, 3).assumed_bandwidth_gb_per_s, 100.0);
  EXPECT_EQ(pair(topology, 1, 3).hops, 1u);
}

TEST(ProbeKfd, AOneWayLinkIsNotedAndNotMadeUpInTheOtherDirection) {
  const Topology topology = machine("one_way");
  EXPECT_EQ(pair(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(pair(topology, 1, 0).kind, LinkKind::pcie);
  EXPECT_EQ(pair(topology, 1, 2).count, 4u);
  EXPECT_EQ(pair(topology, 2, 1).count, 1u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node 1 lists a link to node 2, which lists none back")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node 2 to node 3 and back differ")));
}

TEST(ProbeKfd, LinksToNowhereAreNotedAndTheRestIsRead) {
  const Topology topology = machine("absent_node");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(pair(topology, 0, 1).hops, 1u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("leads to node 9, which is not there")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("leads to node 2, which is the same")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("nodes/1/io_links/7/properties")));
}

TEST(ProbeKfd, TwoDevicesWithOneAddressBothStay) {
  const Topology topology = machine("one_address");
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_NE(pair(topology, 0, 1).kind, LinkKind::package);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("nodes 1 and 2 claim one address, 0000:01:00.0")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("nodes 1 and 3 share their unique_id")));
}

TEST(ProbeKfd, OnAnOldKernelWhatHasNoLineIsUnknown) {
  const Topology topology = machine("old_kernel");
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(topology.gpus[0].pci->to_text(), "0000:19:00.0");
  EXPECT_FALSE(topology.gpus[0].arch);
  EXPECT_FALSE(topology.gpus[0].memory_bytes);
  EXPECT_EQ(topology.gpus[0].compute_units, 104u);
  EXPECT_EQ(pair(topology, 0, 1).hops, 1u);
  EXPECT_FALSE(pair(topology, 0, 1).bandwidth_gb_per_s);
  // Without hive_id lines, what XGMI joins is a hive.
  EXPECT_EQ(topology.gpus[0].hive, 0u);
  EXPECT_EQ(topology.gpus[1].hive, 0u);
  EXPECT_FALSE(topology.gpus[2].hive);
}

TEST(ProbeKfd, PartitionsOfTwoGpusAreOneDirectHopOfUnknownSpeed) {
  const Topology topology = machine("cpx");
  for (const auto& [from, to] : {std::pair(0u, 2u), std::pair(3u, 1u)}) {
    const Link& link = pair(topology, from, to);
    EXPECT_EQ(link.kind, LinkKind::xgmi);
    EXPECT_EQ(link.hops, 1u);
    EXPECT_FALSE(link.count);
    EXPECT_FALSE(link.bandwidth_gb_per_s);
  }
  EXPECT_EQ(pair(topology, 0, 1).kind, LinkKind::package);
  EXPECT_EQ(topology.gpus[2].pci->domain, 1u);
  EXPECT_EQ(topology.gpus[0].compute_units, 20u);
}

Gpu gpu_with(const std::string& properties) {
  return topology_of(KfdFixture::from_text("cpu 0\ngpu 1 at 0000:01:00.0 near 0 " + properties + "\n")).gpus.at(0);
}

TEST(ProbeKfd, XcdsShaderEnginesAndQueuesAreTheDriversNumbers) {
  const Gpu mi300 = gpu_with("num_xcc=8 array_count=32 simd_arrays_per_engine=1 num_cp_queues=24");
  EXPECT_EQ(mi300.xcds, 8u);
  EXPECT_EQ(mi300.shader_engines, 32u);
  EXPECT_EQ(mi300.hardware_queues, 24u);
  // Engines of two arrays each, as on Radeons.
  EXPECT_EQ(gpu_with("array_count=8 simd_arrays_per_engine=2").shader_engines, 4u);
}

TEST(ProbeKfd, XcdsShaderEnginesAndQueuesThatAreNotToldAreUnknown) {
  for (const char* properties : {"", "num_xcc=0 array_count=0 simd_arrays_per_engine=0 num_cp_queues=0",
                                 "num_xcc=4294967296 array_count=8 simd_arrays_per_engine=3 num_cp_queues=none",
                                 "array_count=8 simd_arrays_per_engine=0"}) {
    const Gpu gpu = gpu_with(properties);
    EXPECT_FALSE(gpu.xcds) << properties;
    EXPECT_FALSE(gpu.shader_engines) << properties;
    EXPECT_FALSE(gpu.hardware_queues) << properties;
    EXPECT_EQ(gpu.compute_units, 104u);
  }
}

TEST(ProbeKfd, AGpuThatTheDriverDidNotStartIsNoGpuButANote) {
  const auto fixture = KfdFixture::from_text(
      "cpu 0\ngpu 1 at 0000:01:00.0 near 0\n"
      "gpu 2 at 0000:00:00.0 near 0 vendor_id=0 device_id=0 unique_id=0 drm_render_minor=0\n"
      "file 2/gpu_id 0\n");
  const Topology topology = topology_of(fixture);
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].pci->to_text(), "0000:01:00.0");
  EXPECT_THAT(topology.notes, ::testing::ElementsAre(HasSubstr("node 2 has a GPU that the driver did not start")));
}

TEST(ProbeKfd, WhatWasNotStartedIsToldWithoutIdsToo) {
  const auto fixture = KfdFixture::from_text(
      "cpu 0\ngpu 1 at 0000:01:00.0 near 0\ngpu 2 at 0000:00:00.0 near 0 vendor_id=0 unique_id=0\n"
      "gpu 3 at 0000:00:00.0 near 0 -vendor_id -location_id -unique_id\n");
  for (const char* node : {"0", "1", "2", "3"}) {
    std::filesystem::remove(fixture.nodes() / node / "gpu_id");
  }
  // Of node 3 nothing is said that could tell.
  EXPECT_THAT(topology_of(fixture).gpus, SizeIs(2));
}

TEST(ProbeKfd, AnUnstartedGpuBesideCpusLeavesTheCpuNode) {
  const Topology topology = topology_of(KfdFixture::from_text(
      "cpu 0\nfile 0/properties cpu_cores_count 8\ngpu 1 at 0000:01:00.0 near 0 cpu_cores_count=8\n"
      "file 1/gpu_id 0\ngpu 2 at 0000:02:00.0 near 1\n"));
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{1});
  EXPECT_THAT(topology.numa_nodes, SizeIs(2));
}

TEST(ProbeKfd, GpusForAScreenAreIntegratedAndAnMi300aIsNot) {
  EXPECT_EQ(gpu_with("cpu_cores_count=8 gfx_target_version=90002").integrated, true);
  EXPECT_EQ(gpu_with("cpu_cores_count=8 -gfx_target_version").integrated, true);
  EXPECT_EQ(gpu_with("gfx_target_version=110003").integrated, true);
  EXPECT_EQ(gpu_with("gfx_target_version=90012").integrated, true);
  EXPECT_EQ(gpu_with("").integrated, false);
  EXPECT_EQ(gpu_with("gfx_target_version=110000").integrated, false);
  EXPECT_EQ(gpu_with("cpu_cores_count=24 gfx_target_version=90402 num_xcc=6").integrated, false);
  EXPECT_EQ(gpu_with("cpu_cores_count=24 gfx_target_version=90402 hive_id=7 num_xcc=1").integrated, false);
  const Topology on_xgmi = topology_of(
      KfdFixture::from_text("cpu 0\ngpu 1 at 0000:01:00.0 near 0 cpu_cores_count=24\nlinks 1 0 weight=13\n"));
  EXPECT_EQ(on_xgmi.gpus.at(0).integrated, false);
}

TEST(ProbeKfd, BehindANodeThatHasMemoryOnlyItsNearestCpusCount) {
  const Topology topology = topology_of(
      KfdFixture::from_text("cpu 0\ncpu 1\ncpu 2\nfile 2/properties cpu_cores_count 0\n"
                            "gpu 3 at 0000:01:00.0 near 2\nlinks 2 0 type=1 weight=32\nlinks 1 2 type=1 weight=17\n"));
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{1});
}

TEST(ProbeKfd, AGpuWhoseFileCannotBeOpenedIsHiddenByItAndNoOther) {
  const auto fixture = KfdFixture::from_text(
      "cpu 0\ngpu 1 at 0000:01:00.0 near 0 drm_render_minor=128\n"
      "gpu 2 at 0000:02:00.0 near 0 drm_render_minor=129\ngpu 3 at 0000:03:00.0 near 0 drm_render_minor=130\n"
      "gpu 4 at 0000:04:00.0 near 0\n");
  const test::TemporaryFolder devices;
  devices.write("dri/renderD129", "");
  const Reading reading = probe_kfd(fixture.nodes(), devices.path());
  ASSERT_THAT(reading.gpus, SizeIs(4));
  EXPECT_THAT(reading.gpus[0].hidden_by.value_or(""), HasSubstr("dri/renderD128: No such file"));
  EXPECT_FALSE(reading.gpus[1].hidden_by);
  EXPECT_TRUE(reading.gpus[2].hidden_by);
  EXPECT_FALSE(reading.gpus[3].hidden_by);
  EXPECT_THAT(reading.notes, ::testing::ElementsAre(::testing::AllOf(HasSubstr("cannot open"), HasSubstr("renderD128"),
                                                                     HasSubstr("and 1 more likewise"))));
  EXPECT_FALSE(probe_kfd(fixture.nodes()).gpus[0].hidden_by);
}

TEST(ProbeKfd, WeightsThatAreInNoListStillOrderThePairsOfOneKind) {
  const Topology topology = topology_of(KfdFixture::from_text(
      "cpu 0\ngpu 1 at 0000:01:00.0 near 0\ngpu 2 at 0000:02:00.0 near 0\ngpu 3 at 0000:03:00.0 near 0\n"
      "gpu 4 at 0000:04:00.0 near 0\nlinks 1 2 weight=51 max_bandwidth=0\nlinks 1 3 weight=34 max_bandwidth=0\n"
      "links 1 4 weight=17 max_bandwidth=0\n"));
  EXPECT_EQ(nearest(topology, 0), (std::vector<std::uint32_t>{3, 2, 1}));
  EXPECT_FALSE(pair(topology, 0, 3).hops);
}

TEST(ProbeKfd, MarkersAreUnknownAndNeverNumbers) {
  const Topology topology = machine("markers");
  std::size_t known = 0;
  for (const Link& link : topology.links) known += link.bandwidth_gb_per_s ? 1u : 0u;
  EXPECT_EQ(known, 4u);
  EXPECT_EQ(pair(topology, 0, 1).bandwidth_gb_per_s, 51.0);
  EXPECT_EQ(nearest(topology, 0).size(), 3u);
  EXPECT_TRUE(pair(topology, 0, 2).assumed_bandwidth_gb_per_s);
}

TEST(ProbeKfd, BadLinesAreNotedWithFileAndLineAndTheRestIsRead) {
  const Topology topology = machine("broken_lines");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(topology.gpus[0].pci->to_text(), "0000:01:00.0");
  EXPECT_EQ(pair(topology, 0, 1).hops, 1u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("nodes/1/properties line 8: 'domain -1'")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("nodes/1/properties line 9: 'hive_id 99999999999999999999999'")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("nodes/3/properties is empty")));
}

TEST(ProbeKfd, WeightsThatContradictTheLinksAreNoted) {
  const Topology topology = topology_of(KfdFixture::from_text(
      "cpu 0\ngpu 1 at 0000:01:00.0 near 0\ngpu 2 at 0000:02:00.0 near 0\ngpu 3 at 0000:03:00.0 near 0\n"
      "links 1 2\nlinks 2 3\nlinks 1 3 weight=60 min_bandwidth=0 max_bandwidth=0\n"));
  EXPECT_EQ(pair(topology, 0, 2).hops, 2u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("link weights contradict the links on the hops")));
}

TEST(ProbeKfd, PartitionsWithoutNumbersAreCountedInNodeOrder) {
  const Topology topology = topology_of(KfdFixture::from_text(
      "cpu 0\ngpu 1 at 0000:01:00.0 near 0 unique_id=8\ngpu 2 at 0000:01:00.0 near 0 unique_id=8\n"));
  EXPECT_EQ(topology.gpus[0].partition, 0u);
  EXPECT_EQ(topology.gpus[1].partition, 1u);
  EXPECT_EQ(pair(topology, 0, 1).kind, LinkKind::package);
}

TEST(ProbeKfd, FunctionsThatAreGpusOfTheirOwnAreNoPartitions) {
  const Topology topology = topology_of(KfdFixture::from_text(
      "cpu 0\ngpu 1 at 0000:01:00.0 near 0 unique_id=8\ngpu 2 at 0000:01:00.1 near 0 unique_id=9\n"));
  EXPECT_FALSE(topology.gpus[1].partition);
  EXPECT_EQ(topology.gpus[1].pci->function, 1);
  EXPECT_EQ(pair(topology, 0, 1).kind, LinkKind::pcie);
}

TEST(ProbeKfd, MemoryIsTheSumOfItsBanks) {
  const auto fixture = KfdFixture::from_text("cpu 0\ngpu 1 at 0000:01:00.0 near 0 local_mem_size=0\n");
  fixture.folder().write("nodes/1/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 1000\n");
  fixture.folder().write("nodes/1/mem_banks/1/properties", "heap_type 2\nsize_in_bytes 500\n");
  fixture.folder().write("nodes/1/mem_banks/2/properties", "heap_type 4\nsize_in_bytes 7\n");
  EXPECT_EQ(topology_of(fixture).gpus[0].memory_bytes, 1500u);
}

TEST(ProbeKfd, OversizedAndBinaryFilesAreNotRead) {
  const auto fixture = KfdFixture::from_text("cpu 0\ngpu 1 at 0000:01:00.0 near 0\ngpu 2 at 0000:02:00.0 near 0\n");
  fixture.folder().write("nodes/1/properties", std::string(1 << 20, 'x'));
  fixture.folder().write("nodes/2/name", std::string("\0\xff\x01", 3));
  const Topology topology = topology_of(fixture);
  EXPECT_THAT(topology.gpus, SizeIs(1));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("nodes/1/properties is unreadable")));
}

TEST(ProbeKfd, SixtyFourPartitionsAreReadQuickly) {
  std::string text = "cpu 0\n";
  for (unsigned gpu = 0; gpu < 64; ++gpu) {
    text += fmt::format("gpu {} at 0000:{:02x}:00.{} near 0 unique_id={} gfx_target_version=90402 hive_id=1\n", gpu + 1,
                        0x10 + gpu / 8, gpu % 8, 100 + gpu / 8);
  }
  for (unsigned a = 0; a < 64; ++a) {
    for (unsigned b = a + 1; b < 64; ++b) {
      text += fmt::format("links {} {} weight={} min_bandwidth=0 max_bandwidth=0\n", a + 1, b + 1,
                          a / 8 == b / 8 ? 13 : 41);
    }
  }
  const auto fixture = KfdFixture::from_text(text);
  const auto start = std::chrono::steady_clock::now();
  const Topology topology = topology_of(fixture);
  const auto elapsed = std::chrono::steady_clock::now() - start;
  ASSERT_THAT(topology.gpus, SizeIs(64));
  EXPECT_EQ(topology.gpus[63].partition, 7u);
  EXPECT_EQ(pair(topology, 0, 7).kind, LinkKind::package);
  EXPECT_EQ(pair(topology, 0, 8).hops, 1u);
  EXPECT_LT(elapsed, std::chrono::seconds(1));
}

TEST(FindKfdNodes, AcceptsTheFolderAndEveryFolderAboveIt) {
  const test::TemporaryFolder folder;
  const std::filesystem::path nodes = folder.path() / "sys/class/kfd/kfd/topology/nodes";
  folder.write("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 4\n");
  for (const char* place : {"", "sys", "sys/class/kfd", "sys/class/kfd/kfd", "sys/class/kfd/kfd/topology",
                            "sys/class/kfd/kfd/topology/nodes"}) {
    EXPECT_EQ(find_kfd_nodes(folder.path() / place), nodes) << place;
  }
  EXPECT_FALSE(find_kfd_nodes(folder.path() / "sys/class/kfd/kfd/topology/nodes/0"));
  EXPECT_FALSE(find_kfd_nodes(folder.path() / "nowhere"));
}

}  // namespace
}  // namespace skua
