// What hwloc says of this machine and of a described one.
#include "probe_hwloc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/discovery.hpp>

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Two packages of a NUMA node each. Behind the second: an MI210, a network card and an ASPEED display; at the root: an
/// NVIDIA GPU whose place firmware does not tell.
constexpr const char* two_packages = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" allowed_cpuset="0x0000000f" nodeset="0x00000005" complete_nodeset="0x00000005" allowed_nodeset="0x00000005" gp_index="1">
    <object type="Package" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2">
      <object type="NUMANode" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3" local_memory="1073741824"/>
      <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4"/>
      <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5"/>
    </object>
    <object type="Package" os_index="1" cpuset="0x0000000c" complete_cpuset="0x0000000c" nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="6">
      <object type="NUMANode" os_index="2" cpuset="0x0000000c" complete_cpuset="0x0000000c" nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="7"/>
      <object type="PU" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="8"/>
      <object type="PU" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="9"/>
      <object type="Bridge" gp_index="10" bridge_type="0-1" depth="0" bridge_pci="0000:[80-8f]">
        <object type="PCIDev" gp_index="11" pci_busid="0000:81:00.0" pci_type="0380 [1002:740f] [1002:0c34] 01" pci_link_speed="0.0"/>
        <object type="PCIDev" gp_index="12" pci_busid="0000:82:00.0" pci_type="0200 [8086:1521] [8086:0001] 01" pci_link_speed="0.0"/>
        <object type="PCIDev" gp_index="13" pci_busid="0000:83:00.0" pci_type="0300 [1a03:2000] [1a03:2000] 41" pci_link_speed="0.0"/>
      </object>
    </object>
    <object type="Bridge" gp_index="14" bridge_type="0-1" depth="0" bridge_pci="0001:[00-0f]">
      <object type="PCIDev" gp_index="15" pci_busid="0001:01:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1" pci_link_speed="0.0"/>
    </object>
  </object>
</topology>
)";

TEST(ProbeHwloc, FindsTheNumaNodesByTheSystemsNumbers) {
  const Reading reading = probe_hwloc(two_packages);
  ASSERT_THAT(reading.numa_nodes, SizeIs(2));
  EXPECT_EQ(reading.numa_nodes[0].cpus, CpuSet::from_list("0-1"));
  EXPECT_EQ(reading.numa_nodes[0].memory_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(reading.numa_nodes[1].id, NumaId{2});
  EXPECT_EQ(reading.numa_nodes[1].package, 1u);
  EXPECT_FALSE(reading.numa_nodes[1].memory_bytes);
}

TEST(ProbeHwloc, FindsComputeGpusAndNoOtherPciDevices) {
  const Reading reading = probe_hwloc(two_packages);
  ASSERT_THAT(reading.gpus, SizeIs(2));
  EXPECT_EQ(reading.gpus[0].pci->to_text(), "0000:81:00.0");
  EXPECT_EQ(reading.gpus[1].pci->to_text(), "0001:01:00.0");
  EXPECT_THAT(reading.gpus[0].name, HasSubstr("AMD"));
  EXPECT_THAT(reading.gpus[1].name, HasSubstr("NVIDIA"));
}

TEST(ProbeHwloc, AGpuAtTheRootIsNearNothing) {
  const Reading reading = probe_hwloc(two_packages);
  EXPECT_EQ(reading.gpus[0].numa_node, NumaId{2});
  EXPECT_EQ(reading.gpus[0].cpus, CpuSet::from_list("2-3"));
  EXPECT_FALSE(reading.gpus[1].numa_node);
  EXPECT_FALSE(reading.gpus[1].cpus);
}

TEST(ProbeHwloc, ReadsThisMachine) {
  const Reading reading = probe_hwloc();
  ASSERT_FALSE(reading.numa_nodes.empty());
  const auto allowed = discover_host_cpus().allowed;
  ASSERT_TRUE(allowed);
  std::vector<unsigned> cpus;
  for (const NumaNode& node : reading.numa_nodes) {
    cpus.insert(cpus.end(), node.cpus.cpus().begin(), node.cpus.cpus().end());
  }
  EXPECT_EQ(CpuSet(cpus).intersection(*allowed), *allowed);
}

TEST(ProbeHwloc, WhatItCannotReadIsANote) {
  const Reading reading = probe_hwloc("<topology");
  EXPECT_THAT(reading.numa_nodes, IsEmpty());
  EXPECT_THAT(reading.notes, Contains(HasSubstr("hwloc could not read")));
}

}  // namespace
}  // namespace skua
