// Questions to a Topology.
#include <skua/topology.hpp>

#include <gtest/gtest.h>

namespace skua {
namespace {

Link link(std::uint32_t from, std::uint32_t to, LinkKind kind, std::optional<std::uint32_t> hops,
          std::optional<double> gb_per_s = std::nullopt) {
  Link result;
  result.from = GpuId{from};
  result.to = GpuId{to};
  result.kind = kind;
  result.hops = hops;
  result.bandwidth_gb_per_s = gb_per_s;
  return result;
}

std::vector<std::uint32_t> indices(const std::vector<GpuId>& ids) {
  std::vector<std::uint32_t> result;
  for (const GpuId id : ids) result.push_back(id.index);
  return result;
}

/// `count` GPUs, every pair joined over PCIe without any fact.
Topology plain(std::uint32_t count) {
  Topology topology;
  topology.gpus.resize(count);
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      if (from != to) topology.links.push_back(link(from, to, LinkKind::pcie, std::nullopt));
    }
  }
  return topology;
}

Link& mutable_link(Topology& topology, std::uint32_t from, std::uint32_t to) {
  return const_cast<Link&>(*topology.link(GpuId{from}, GpuId{to}));
}

TEST(Topology, FindsThePairWhetherAllPairsAreRecordedOrFew) {
  Topology full = plain(4);
  EXPECT_EQ(full.link(GpuId{3}, GpuId{1})->from, GpuId{3});
  EXPECT_EQ(full.link(GpuId{3}, GpuId{1})->to, GpuId{1});
  Topology sparse;
  sparse.gpus.resize(4);
  sparse.links = {link(1, 2, LinkKind::xgmi, 1), link(3, 0, LinkKind::xgmi, 1)};
  EXPECT_EQ(sparse.link(GpuId{3}, GpuId{0}), &sparse.links[1]);
  EXPECT_EQ(sparse.link(GpuId{0}, GpuId{3}), nullptr);
  EXPECT_EQ(sparse.link(GpuId{2}, GpuId{2}), nullptr);
  EXPECT_EQ(Topology().link(GpuId{0}, GpuId{1}), nullptr);
}

TEST(Nearest, PackageThenHopsThenBandwidthThenLocality) {
  Topology topology = plain(6);
  mutable_link(topology, 0, 5) = link(0, 5, LinkKind::package, 1);
  mutable_link(topology, 0, 4) = link(0, 4, LinkKind::xgmi, 1, 200);
  mutable_link(topology, 0, 2) = link(0, 2, LinkKind::xgmi, 1, 50);
  mutable_link(topology, 0, 1) = link(0, 1, LinkKind::xgmi, 2);
  mutable_link(topology, 0, 3).locality = Locality::switch_;
  EXPECT_EQ(indices(topology.nearest(GpuId{0})), (std::vector<std::uint32_t>{5, 4, 2, 1, 3}));
}

TEST(Nearest, WhatIsEqualOtherwiseGoesByRank) {
  Topology topology = plain(4);
  mutable_link(topology, 0, 1).rank = 1;
  mutable_link(topology, 0, 3).rank = 0;
  mutable_link(topology, 0, 2).bandwidth_gb_per_s = 50;
  EXPECT_EQ(indices(topology.nearest(GpuId{0})), (std::vector<std::uint32_t>{2, 3, 1}));
}

TEST(Nearest, EqualVictimsAreTriedInTurn) {
  const Topology topology = plain(4);
  EXPECT_EQ(indices(topology.nearest(GpuId{0})), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(indices(topology.nearest(GpuId{2})), (std::vector<std::uint32_t>{3, 0, 1}));
}

TEST(Nearest, AnUnknownBandwidthIsNeitherBestNorUnreachable) {
  Topology topology = plain(3);
  mutable_link(topology, 0, 2).bandwidth_gb_per_s = 10;
  EXPECT_EQ(indices(topology.nearest(GpuId{0})), (std::vector<std::uint32_t>{2, 1}));
}

TEST(Nearest, AssumedBandwidthStandsInForADeclaredOne) {
  Topology topology = plain(3);
  mutable_link(topology, 0, 1).bandwidth_gb_per_s = 10;
  mutable_link(topology, 0, 2).assumed_bandwidth_gb_per_s = 16;
  EXPECT_EQ(indices(topology.nearest(GpuId{0})), (std::vector<std::uint32_t>{2, 1}));
}

TEST(Nearest, PairsThatAreNotRecordedCanStillBeVictims) {
  Topology topology;
  topology.gpus.resize(3);
  EXPECT_EQ(topology.nearest(GpuId{1}).size(), 2u);
}

TEST(TransferSeconds, FollowsBandwidthOrElseTheAssumption) {
  Topology topology = plain(2);
  EXPECT_FALSE(topology.transfer_seconds(GpuId{0}, GpuId{1}, 1000));
  mutable_link(topology, 0, 1).assumed_bandwidth_gb_per_s = 16;
  EXPECT_DOUBLE_EQ(*topology.transfer_seconds(GpuId{0}, GpuId{1}, 16'000'000'000), 1.0);
  mutable_link(topology, 0, 1).bandwidth_gb_per_s = 50;
  EXPECT_DOUBLE_EQ(*topology.transfer_seconds(GpuId{0}, GpuId{1}, 25'000'000'000), 0.5);
}

TEST(HostCpus, TheTighterOfMaskAndQuotaCounts) {
  HostCpus host;
  EXPECT_EQ(host.usable_count(), 1u);
  host.allowed = CpuSet::from_list("0-95");
  EXPECT_EQ(host.usable_count(), 96u);
  host.quota_cpus = 2.5;
  EXPECT_EQ(host.usable_count(), 3u);
  host.allowed = CpuSet::from_list("7");
  EXPECT_EQ(host.usable_count(), 1u);
  host.quota_cpus = 0.1;
  EXPECT_EQ(host.usable_count(), 1u);
}

}  // namespace
}  // namespace skua
