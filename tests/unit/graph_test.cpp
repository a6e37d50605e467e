// Pairs completed from the links that are known.
#include <graph/graph.hpp>

#include <chrono>
#include <utility>

#include <gtest/gtest.h>

#include <skua/input.hpp>

namespace skua {
namespace {

Link direct(std::uint32_t from, std::uint32_t to, double gb_per_s, LinkKind kind = LinkKind::xgmi) {
  Link link;
  link.from = GpuId{from};
  link.to = GpuId{to};
  link.kind = kind;
  link.hops = 1;
  link.bandwidth_gb_per_s = gb_per_s;
  link.basis = Basis::file;
  return link;
}

Topology gpus(std::size_t count) {
  Topology topology;
  topology.gpus.resize(count);
  return topology;
}

const Link& pair(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  return *topology.link(GpuId{from}, GpuId{to});
}

TEST(CompleteLinks, EveryOrderedPairHasItsEntryInOrder) {
  Topology topology = gpus(3);
  complete_links(topology, {direct(2, 0, 50), direct(0, 2, 50)}, LinkKind::pcie, Basis::file);
  ASSERT_EQ(topology.links.size(), 6u);
  for (std::size_t i = 1; i < 6; ++i) {
    const auto key = [&](std::size_t at) { return std::tie(topology.links[at].from, topology.links[at].to); };
    EXPECT_LT(key(i - 1), key(i));
  }
  EXPECT_EQ(pair(topology, 1, 2).kind, LinkKind::pcie);
}

TEST(CompleteLinks, OfShortestWaysTheWidestCountsEvenIfALongerOneIsWider) {
  Topology topology = gpus(5);
  // 0 to 4: over 1 (30 GB/s), over 2 (40 GB/s), or over 2 and 3 (100 GB/s).
  complete_links(
      topology,
      {direct(0, 1, 30), direct(1, 4, 90), direct(0, 2, 100), direct(2, 4, 40), direct(2, 3, 100), direct(3, 4, 100)},
      LinkKind::unknown, Basis::file);
  EXPECT_EQ(pair(topology, 0, 4).hops, 2u);
  EXPECT_EQ(pair(topology, 0, 4).assumed_bandwidth_gb_per_s, 40.0);
  EXPECT_FALSE(pair(topology, 0, 4).bandwidth_gb_per_s);
  EXPECT_EQ(pair(topology, 4, 0).kind, LinkKind::unknown);
}

TEST(CompleteLinks, TheFirstStatementForAPairCounts) {
  Topology topology = gpus(2);
  complete_links(topology, {direct(0, 1, 50), direct(0, 1, 60)}, LinkKind::pcie, Basis::file);
  EXPECT_EQ(pair(topology, 0, 1).bandwidth_gb_per_s, 50.0);
}

TEST(CompleteLinks, StatedPcieStaysPcieThoughAWayOverOthersExists) {
  Topology topology = gpus(3);
  Link pcie = direct(0, 2, 20, LinkKind::pcie);
  pcie.hops.reset();
  complete_links(topology, {direct(0, 1, 50), direct(1, 2, 50), pcie}, LinkKind::unknown, Basis::file);
  EXPECT_EQ(pair(topology, 0, 2).kind, LinkKind::pcie);
  EXPECT_EQ(pair(topology, 0, 2).bandwidth_gb_per_s, 20.0);
}

TEST(CompleteLinks, NumaNodesGiveTheLocalityOfPciePairs) {
  Topology topology = gpus(3);
  topology.gpus[0].numa_node = NumaId{0};
  topology.gpus[1].numa_node = NumaId{0};
  complete_links(topology, {}, LinkKind::pcie, Basis::file);
  EXPECT_EQ(pair(topology, 0, 1).locality, Locality::node);
  EXPECT_FALSE(pair(topology, 0, 2).locality);
  topology.gpus[2].numa_node = NumaId{1};
  complete_links(topology, {}, LinkKind::pcie, Basis::file);
  EXPECT_EQ(pair(topology, 0, 2).locality, Locality::system);
}

TEST(CompleteLinks, AThousandGpusInAChainAreDoneQuickly) {
  Topology topology = gpus(1000);
  std::vector<Link> links;
  for (std::uint32_t gpu = 0; gpu + 1 < 1000; ++gpu) {
    links.push_back(direct(gpu, gpu + 1, 50));
    links.push_back(direct(gpu + 1, gpu, 50));
  }
  const auto start = std::chrono::steady_clock::now();
  complete_links(topology, links, LinkKind::pcie, Basis::file);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(pair(topology, 0, 999).hops, 999u);
}

TEST(CompleteLinks, RefusesMoreGpusThanAnyNodeHas) {
  Topology topology = gpus(gpu_count_max + 1);
  EXPECT_THROW(complete_links(topology, {}, LinkKind::pcie, Basis::file), InputError);
}

TEST(NumberHives, FollowTheLinks) {
  Topology topology = gpus(6);
  complete_links(topology, {direct(1, 4, 50), direct(4, 1, 50), direct(2, 5, 50), direct(5, 3, 50)}, LinkKind::pcie,
                 Basis::file);
  number_hives_by_links(topology);
  EXPECT_FALSE(topology.gpus[0].hive);
  EXPECT_EQ(topology.gpus[1].hive, 0u);
  EXPECT_EQ(topology.gpus[4].hive, 0u);
  EXPECT_EQ(topology.gpus[2].hive, 1u);
  EXPECT_EQ(topology.gpus[3].hive, 1u);
}

// Some sources tell that XGMI joins a pair, and neither over how many hops nor by how many links.
TEST(NumberHives, FollowLinksOfWhichNothingElseIsKnown) {
  Topology topology = gpus(3);
  Link there = direct(0, 1, 50);
  there.hops.reset();
  there.bandwidth_gb_per_s.reset();
  Link back = there;
  std::swap(back.from, back.to);
  complete_links(topology, {there, back}, LinkKind::pcie, Basis::file);
  EXPECT_FALSE(topology.link(GpuId{0}, GpuId{1})->hops);
  number_hives_by_links(topology);
  EXPECT_EQ(topology.gpus[0].hive, 0u);
  EXPECT_EQ(topology.gpus[1].hive, 0u);
  EXPECT_FALSE(topology.gpus[2].hive);
}

TEST(AssumedSpeed, FollowsArchitectureAndCount) {
  Topology topology = gpus(2);
  topology.gpus[0].arch = "gfx942";
  Link link = direct(0, 1, 0);
  link.count = 2;
  EXPECT_EQ(assumed_gb_per_s(topology, link), 128.0);
  topology.gpus[0].arch = "sm_90";
  link.kind = LinkKind::nvlink;
  link.count = 18;
  EXPECT_EQ(assumed_gb_per_s(topology, link), 450.0);
}

}  // namespace
}  // namespace skua
