// Readings of several sources become one Topology.
#include <probe/merge.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <probe/rocm_smi.hpp>

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Gpu gpu_at(const char* address, std::optional<std::uint32_t> partition = std::nullopt) {
  Gpu gpu;
  gpu.pci = PciAddress::from_text(address);
  gpu.partition = partition;
  return gpu;
}

Reading reading(Basis basis, const std::vector<const char*>& addresses) {
  Reading result;
  result.basis = basis;
  result.unjoined = LinkKind::pcie;
  for (const char* address : addresses) result.add(gpu_at(address));
  return result;
}

TEST(Merge, JoinsByAddressAndNeverByIndex) {
  // KFD in its order; rocm_smi sorted by address, with a link of 30 between its devices 2 and 3.
  const Reading kfd =
      reading(Basis::kfd, {"0000:c3:00.0", "0000:83:00.0", "0000:43:00.0", "0000:03:00.0", "0001:03:00.0"});
  const Reading smi = rocm_smi_reading_from(
      "gpu 768 ? ? ? ? ? a\ngpu 17152 ? ? ? ? ? b\ngpu 33536 ? ? ? ? ? c\ngpu 49920 ? ? ? ? ? d\n"
      "link 0 1 2 15 1 50000 50000\nlink 2 3 2 30 1 0 0\nlink 3 2 2 30 1 0 0\n");
  const Topology topology = merge({kfd, smi}).topology;
  ASSERT_THAT(topology.gpus, SizeIs(5));
  EXPECT_EQ(topology.gpus[0].name, "d");
  EXPECT_EQ(topology.gpus[3].name, "a");
  EXPECT_EQ(topology.gpus[4].name, "");
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{1})->hops, 2u);
  EXPECT_EQ(topology.link(GpuId{3}, GpuId{2})->hops, 1u);
  EXPECT_EQ(topology.link(GpuId{3}, GpuId{2})->basis, Basis::rocm_smi);
}

TEST(Merge, TheEarlierSourceIsKeptAndTheNoteNamesBoth) {
  Reading kfd = reading(Basis::kfd, {"0000:03:00.0"});
  Reading hwloc = reading(Basis::hwloc, {"0000:03:00.0"});
  kfd.gpus[0].numa_node = NumaId{3};
  hwloc.gpus[0].numa_node = NumaId{1};
  const Topology topology = merge({kfd, hwloc}).topology;
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{3});
  ASSERT_THAT(topology.notes, SizeIs(1));
  EXPECT_EQ(topology.notes[0], "kfd and hwloc disagree on the NUMA node of gpu 0 (0000:03:00.0): 3 or 1; kfd is kept");
}

TEST(Merge, KeepsWhatOnlyOneSourceKnowsOfAGpu) {
  Reading smi = reading(Basis::rocm_smi, {"0000:03:00.0"});
  Reading kfd = reading(Basis::kfd, {"0000:03:00.0"});
  kfd.gpus[0].xcds = 6;
  kfd.gpus[0].shader_engines = 24;
  kfd.gpus[0].hardware_queues = 24;
  kfd.gpus[0].integrated = false;
  for (const auto& readings : {std::vector{kfd, smi}, std::vector{smi, kfd}}) {
    const Gpu gpu = merge(readings).topology.gpus.at(0);
    EXPECT_EQ(gpu.xcds, 6u);
    EXPECT_EQ(gpu.shader_engines, 24u);
    EXPECT_EQ(gpu.hardware_queues, 24u);
    EXPECT_EQ(gpu.integrated, false);
  }
}

TEST(Merge, ManyDisagreementsOfOneKindAreOneNote) {
  Reading kfd = reading(Basis::kfd, {"0000:03:00.0", "0000:04:00.0", "0000:05:00.0"});
  Reading smi = reading(Basis::rocm_smi, {"0000:03:00.0", "0000:04:00.0", "0000:05:00.0"});
  for (std::uint32_t from = 0; from < 3; ++from) {
    for (std::uint32_t to = 0; to < 3; ++to) {
      Link link;
      link.from = GpuId{from};
      link.to = GpuId{to};
      link.kind = LinkKind::xgmi;
      link.hops = 1;
      link.bandwidth_gb_per_s = 50;
      if (from != to) kfd.links.push_back(link);
      link.bandwidth_gb_per_s = 46;
      if (from != to) smi.links.push_back(link);
    }
  }
  const Topology topology = merge({kfd, smi}).topology;
  EXPECT_EQ(topology.link(GpuId{2}, GpuId{0})->bandwidth_gb_per_s, 50.0);
  ASSERT_THAT(topology.notes, SizeIs(1));
  EXPECT_THAT(topology.notes[0], HasSubstr("50 or 46, and 5 times more; kfd is kept"));
}

TEST(Merge, AKindThatSourcesDisagreeOnIsNoted) {
  Reading kfd = reading(Basis::kfd, {"0000:03:00.0", "0000:04:00.0"});
  Reading smi = kfd;
  smi.basis = Basis::rocm_smi;
  Link link;
  link.to = GpuId{1};
  link.kind = LinkKind::xgmi;
  link.hops = 1;
  kfd.links.push_back(link);
  link.kind = LinkKind::pcie;
  link.hops.reset();
  smi.links.push_back(link);
  EXPECT_THAT(merge({kfd, smi}).topology.notes, Contains(HasSubstr("xgmi or pcie; kfd is kept")));
}

TEST(Merge, TheParentsPlaceHoldsForAllPartitions) {
  Reading kfd;
  kfd.basis = Basis::kfd;
  for (std::uint32_t partition = 0; partition < 3; ++partition) kfd.add(gpu_at("0000:21:00.0", partition));
  Reading hwloc = reading(Basis::hwloc, {"0000:21:00.0"});
  hwloc.gpus[0].cpus = CpuSet::from_list("0-47");
  hwloc.gpus[0].numa_node = NumaId{1};
  const Topology topology = merge({kfd, hwloc}).topology;
  ASSERT_THAT(topology.gpus, SizeIs(3));
  for (const Gpu& gpu : topology.gpus) {
    EXPECT_EQ(gpu.numa_node, NumaId{1});
    EXPECT_EQ(gpu.cpus, CpuSet::from_list("0-47"));
  }
}

TEST(Merge, TwoDevicesOfOneSourceWithOneAddressStayTwo) {
  const Reading kfd = reading(Basis::kfd, {"0000:03:00.0", "0000:03:00.0"});
  EXPECT_THAT(merge({kfd}).topology.gpus, SizeIs(2));
}

TEST(Merge, ADeviceThatOneSourceMissesStaysUsable) {
  const Topology topology =
      merge({reading(Basis::kfd, {"0000:03:00.0"}), reading(Basis::nvml, {"0000:e3:00.0"})}).topology;
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(topology.gpus[1].basis, Basis::nvml);
  EXPECT_EQ(topology.links.size(), 2u);
}

TEST(Merge, NothingMergesToNothing) {
  const Topology topology = merge({}).topology;
  EXPECT_THAT(topology.gpus, IsEmpty());
  EXPECT_EQ(topology, Topology());
}

}  // namespace
}  // namespace skua
