// Tables of `amd-smi topology` as people paste them.
#include <read/amd_smi.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pasted_machine.hpp"

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string header = "             0000:c1:00.0 0001:05:00.0 0001:85:00.0\n";

/// One table over three GPUs, the last of which is joined to the second only.
std::string table(const std::string& title, const std::string& self, const std::string& near, const std::string& far) {
  return title + " TABLE:\n" + header + "0000:c1:00.0 " + self + "  " + near + "  " + far + "\n0001:05:00.0 " + near +
         "  " + self + "  " + near + "\n0001:85:00.0 " + far + "  " + near + "  " + self + "\n\n";
}

Topology read(const std::string& text) {
  return read_amd_smi(text, "node.txt");
}

std::string error_of(const std::string& text) {
  return error_of(read, text);
}

std::string all_tables() {
  return table("ACCESS", "ENABLED", "ENABLED", "ENABLED") + table("WEIGHT", "0", "15", "30") +
         table("HOPS", "0", "1", "1") + table("LINK TYPE", "SELF", "XGMI", "XGMI") +
         table("NUMA BW", "N/A", "50000-100000", "0-0");
}

TEST(ReadAmdSmi, ReadsAddressesKindsHopsCountsAndSpeeds) {
  const auto topology = read(all_tables());
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(topology.gpus[0].pci, PciAddress::from_text("0000:c1:00.0"));
  EXPECT_EQ(topology.gpus[2].pci, PciAddress::from_text("0001:85:00.0"));
  EXPECT_EQ(topology.gpus[0].partition, std::nullopt);
  EXPECT_EQ(topology.gpus[0].basis, Basis::file);
  EXPECT_EQ(topology.gpus[0].numa_node, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 1).count, 2u);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, 100.0);
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_EQ(link(topology, 0, 2).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 0, 2).assumed_bandwidth_gb_per_s, 100.0);
  EXPECT_EQ(topology.gpus[2].hive, 0u);
}

// Their cells look like those of other tables: "64,32" like a number, "T" like nothing.
TEST(ReadAmdSmi, TablesOfOtherFactsArePassedOver) {
  const auto expected = read(all_tables());
  const auto topology =
      read(all_tables() + table("CACHE COHERANCY", "SELF", "C", "NC") + table("ATOMICS", "SELF", "64,32", "N/A") +
           table("DMA", "SELF", "T", "F") + table("BI-DIRECTIONAL", "SELF", "T", "F") +
           "\nLegend:\n  SELF = Current GPU\n  ENABLED / DISABLED = of a link\n  0000:c1:00.0 40 40 40\n");
  EXPECT_EQ(topology, expected);
}

TEST(ReadAmdSmi, LinksOfAMeshOfUnknownSpeedAreStillOneHop) {
  const auto topology = read(table("WEIGHT", "0", "15", "15") + table("LINK TYPE", "SELF", "XGMI", "XGMI") +
                             table("NUMA BW", "N/A", "0-0", "0-0"));
  EXPECT_EQ(link(topology, 0, 2).hops, 1u);
  EXPECT_EQ(link(topology, 0, 2).count, std::nullopt);
  EXPECT_EQ(link(topology, 0, 2).bandwidth_gb_per_s, std::nullopt);
}

TEST(ReadAmdSmi, PciePairsAreNearByWeightWhereNoNodeIsKnown) {
  const auto topology = read(table("WEIGHT", "0", "40", "72") + table("HOPS", "0", "2", "3") +
                             table("LINK TYPE", "SELF", "PCIE", "PCIE") + table("NUMA BW", "N/A", "N/A", "N/A"));
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::node);
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::system);
  EXPECT_EQ(link(topology, 0, 2).hops, 3u);
  EXPECT_EQ(topology.gpus[0].hive, std::nullopt);
}

// A partition stands at a function that no device has: two GPUs of one address are one package.
TEST(ReadAmdSmi, PartitionsHaveTheAddressOfTheirGpu) {
  const std::string partitions = "             0000:05:00.0 0000:05:00.1 0000:15:00.0\n";
  const auto rows = [&](const char* near, const char* far) {
    return partitions + "0000:05:00.0 0 " + near + " " + far + "\n0000:05:00.1 " + near + " 0 " + far +
           "\n0000:15:00.0 " + far + " " + far + " 0\n\n";
  };
  const auto topology = read("WEIGHT TABLE:\n" + rows("13", "41") + "LINK TYPE TABLE:\n" + rows("XGMI", "XGMI"));
  EXPECT_EQ(topology.gpus[1].pci, PciAddress::from_text("0000:05:00.0"));
  EXPECT_EQ(topology.gpus[0].partition, 0u);
  EXPECT_EQ(topology.gpus[1].partition, 1u);
  EXPECT_EQ(topology.gpus[2].partition, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::package);
  EXPECT_EQ(link(topology, 1, 2).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 1, 2).hops, 1u);
}

TEST(ReadAmdSmi, PairsWithoutAccessAreNoted) {
  const auto topology = read(table("ACCESS", "ENABLED", "ENABLED", "DISABLED") + table("WEIGHT", "0", "40", "40") +
                             table("LINK TYPE", "SELF", "PCIE", "PCIE"));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("a pair has no direct access")));
  EXPECT_THAT(topology.notes, SizeIs(1));
}

TEST(ReadAmdSmi, LabelsMayBeGpuNumbersAndLinesMayEndInCarriageReturns) {
  const auto topology = read(
      "$ amd-smi topology\r\n\x1b[1mWEIGHT TABLE:\x1b[0m\r\n      GPU0 GPU1\r\nGPU0  0    15\r\nGPU1  15   0\r\n\r\n"
      "LINK TYPE TABLE:\r\n      GPU0 GPU1\r\nGPU0  SELF XGMI\r\nGPU1  XGMI SELF\r\n");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(topology.gpus[1].name, "GPU1");
  EXPECT_EQ(link(topology, 1, 0).hops, 1u);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadAmdSmi, ATruncatedTextGivesWhatIsThere) {
  const auto whole = table("LINK TYPE", "SELF", "XGMI", "XGMI") + table("WEIGHT", "0", "15", "15");
  const auto topology = read(whole.substr(0, whole.rfind("0001:05:00.0 15") + 14));
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(link(topology, 1, 0).hops, 1u);
  EXPECT_EQ(link(topology, 2, 0).hops, 1u);
  // Neither direction of this pair has a weight; over its neighbour it is two hops.
  EXPECT_EQ(link(topology, 1, 2).hops, 2u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("a row is cut off: 0001:05:00.0 has 0 of 3 cells")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("facts of a pair stand in one direction only")));
}

TEST(ReadAmdSmi, SpeedsThatAreNoneAreNoted) {
  const auto topology = read(table("WEIGHT", "0", "15", "15") + table("LINK TYPE", "SELF", "XGMI", "XGMI") +
                             table("NUMA BW", "N/A", "50000-99999999999999999999999", "50000"));
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("a cell is not understood")));
}

TEST(ReadAmdSmi, ASecondMachineInTheTextIsPassedOver) {
  const auto topology = read(table("WEIGHT", "0", "15", "15") + table("LINK TYPE", "SELF", "XGMI", "XGMI") +
                             table("WEIGHT", "0", "72", "72"));
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:13: a second table of one kind is passed over")));
}

TEST(ReadAmdSmi, ATextWithoutAGpuIsOneErrorWithItsLine) {
  EXPECT_THAT(error_of("WEIGHT TABLE:\nnothing\n"), StartsWith("node.txt:2: "));
  EXPECT_THAT(error_of("HOPS TABLE:\n0000:zz:00.0 0001:05:00.9\n"), StartsWith("node.txt:2: "));
}

TEST(ReadAmdSmi, KnowsItsOwnTextAndNoOther) {
  EXPECT_TRUE(is_amd_smi(table("LINK TYPE", "SELF", "XGMI", "XGMI")));
  EXPECT_TRUE(is_amd_smi(table("NUMA BW", "N/A", "0-0", "0-0")));
  EXPECT_FALSE(is_amd_smi("==== Weight between two GPUs ====\n"));
  EXPECT_FALSE(is_amd_smi(""));
}

}  // namespace
}  // namespace skua
