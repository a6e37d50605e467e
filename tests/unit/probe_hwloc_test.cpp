// What hwloc says of this machine and of a described one.
#include <probe/hwloc.hpp>

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/discovery.hpp>

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The machine of tests/fixtures/hwloc/two_packages.xml.
std::string two_packages() {
  std::ifstream file(std::string(SKUA_SOURCE_DIR) + "/tests/fixtures/hwloc/two_packages.xml");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(ProbeHwloc, FindsTheNumaNodesByTheSystemsNumbers) {
  const Reading reading = probe_hwloc(two_packages());
  ASSERT_THAT(reading.numa_nodes, SizeIs(2));
  EXPECT_EQ(reading.numa_nodes[0].cpus, CpuSet::from_list("0-1"));
  EXPECT_EQ(reading.numa_nodes[0].memory_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(reading.numa_nodes[1].id, NumaId{2});
  EXPECT_EQ(reading.numa_nodes[1].package, 1u);
  EXPECT_FALSE(reading.numa_nodes[1].memory_bytes);
}

TEST(ProbeHwloc, FindsComputeGpusAndNoOtherPciDevices) {
  const Reading reading = probe_hwloc(two_packages());
  ASSERT_THAT(reading.gpus, SizeIs(2));
  EXPECT_EQ(reading.gpus[0].pci->to_text(), "0000:81:00.0");
  EXPECT_EQ(reading.gpus[1].pci->to_text(), "0001:01:00.0");
  EXPECT_THAT(reading.gpus[0].name, HasSubstr("AMD"));
  EXPECT_THAT(reading.gpus[1].name, HasSubstr("NVIDIA"));
}

TEST(ProbeHwloc, AGpuAtTheRootIsNearNothing) {
  const Reading reading = probe_hwloc(two_packages());
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
