// Output of `rocm-bandwidth-test` as people paste it.
#include <read/bandwidth_table.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pasted_machine.hpp"

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

Topology read(const std::string& text) {
  return read_bandwidth_table(text, "node.txt");
}

std::string error_of(const std::string& text) {
  return error_of(read, text);
}

const std::string devices =
    "  Device: 0,  Some CPU, with a comma\n  Device: 1,  Some CPU\n"
    "  Device: 2,  Some GPU [of a kind],  GPU-XX,  0001:c1:0.0\n  Device: 3,  ,  29:0.0\n  Device: 4,  Other,  "
    "2a:0.0\n\n";

/// Two CPUs and a chain of three GPUs, of which the first is near the second CPU.
const std::string distances =
    "Inter-Device Numa Distance\n\nD/D   0   1   2   3   4\n\n0   0   32  52  20  20\n\n1   32  0   20  52  52\n\n"
    "2   52  20  0   15  30\n\n3   20  52  15  0   15\n\n4   20  52  30  15  0\n\n";

const std::string speeds =
    "Unidirectional copy peak bandwidth GB/s\n\nD/D   0     1     2     3     4\n\n"
    "0   N/A   N/A   26.9  27.0  27.0\n\n1   N/A   N/A   27.0  26.9  27.0\n\n"
    "2   28.1  28.1  900   42.5  21.5\n\n3   28.1  28.1  42.25 901   42.0\n\n4   28.1  28.1  21.25 42.0  902\n\n";

const std::string both_ways =
    "Bidirectional copy peak bandwidth GB/s\n\nD/D   0     1     2     3     4\n\n"
    "2   40.1  40.1  N/A   81.0  41.0\n\n3   40.1  40.1  81.0  N/A   81.0\n\n4   40.1  40.1  41.0  81.0  N/A\n\n";

TEST(ReadRocmBandwidthTest, ListsGpusAfterCpusWithTheirAddresses) {
  const auto topology = read(devices + distances + speeds + both_ways);
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(topology.gpus[0].pci, PciAddress::from_text("0001:c1:00.0"));
  EXPECT_EQ(topology.gpus[0].name, "Some GPU [of a kind]");
  EXPECT_EQ(topology.gpus[1].pci, PciAddress::from_text("0000:29:00.0"));
  EXPECT_EQ(topology.gpus[1].name, "");
  EXPECT_EQ(topology.gpus[2].basis, Basis::file);
}

// A reader that takes matrix places for GPU numbers gives the speeds of copies from CPUs.
TEST(ReadRocmBandwidthTest, TellsKindsAndHopsByDistanceAndSpeedsAsMeasuredOneWay) {
  const auto topology = read(devices + distances + speeds + both_ways);
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, 42.5);
  EXPECT_EQ(link(topology, 1, 0).bandwidth_gb_per_s, 42.25);
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_EQ(link(topology, 0, 2).bandwidth_gb_per_s, 21.5);
  EXPECT_EQ(link(topology, 0, 2).assumed_bandwidth_gb_per_s, std::nullopt);
}

TEST(ReadRocmBandwidthTest, TheOneNearestCpuStandsForTheNumaNode) {
  const auto topology = read(devices + distances);
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{1});
  EXPECT_EQ(topology.gpus[1].numa_node, NumaId{0});
  EXPECT_THAT(topology.notes, Contains(HasSubstr("NUMA nodes are the places of the nearest CPUs")));
  const auto equal = read(
      "Device: 0, CPU\nDevice: 1, CPU\nDevice: 2, GPU, 01:0.0\nInter-Device Numa Distance\n"
      "D/D 0 1 2\n\n0 0 32 20\n\n1 32 0 20\n\n2 20 20 0\n");
  EXPECT_EQ(equal.gpus[0].numa_node, std::nullopt);
}

TEST(ReadRocmBandwidthTest, PairsWithoutAccessGoOverTheHost) {
  const auto topology = read(
      "Device: 0, CPU\nDevice: 1, A, 19:0.0\nDevice: 2, B, 67:0.0\n\nInter-Device Access\n\nD/D 0 1 2\n\n0 1 0 0\n\n"
      "1 1 1 0\n\n2 1 0 1\n\nInter-Device Numa Distance\n\nD/D 0 1 2\n\n0 0 N/A N/A\n\n1 20 0 N/A\n\n2 20 N/A 0\n\n"
      "Unidirectional copy peak bandwidth GB/s\n\nD/D 0 1 2\n\n0 N/A 13 13\n\n1 14 690 N/A\n\n2 14 N/A 580\n");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::node);
  EXPECT_EQ(topology.gpus[0].hive, std::nullopt);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("a pair has no direct access")));
}

TEST(ReadRocmBandwidthTest, PcieDistancesAreNoXgmi) {
  const auto topology = read(
      "Device: 0, CPU\nDevice: 1, A, 01:0.0\nDevice: 2, B, 29:0.0\nInter-Device Numa Distance\n"
      "D/D 0 1 2\n\n0 0 20 20\n\n1 20 0 40\n\n2 20 40 0\n");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::node);
}

TEST(ReadRocmBandwidthTest, ReadsTheLongListOfDevices) {
  const auto topology = read(
      "Device Index:                             0\n  Device Type:                            CPU\n"
      "  Device Name:                            Some CPU\n    Allocatable Memory Size (KB):         1000\n\n"
      "Device Index:                             1\n  Device Type:                            GPU\n"
      "  Device Name:                            Some GPU\n  Device  BDF:                            63:0.0\n\n"
      "Inter-Device Numa Distance\nD/D 0 1\n0 0 20\n1 20 0\n");
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].pci, PciAddress::from_text("0000:63:00.0"));
  EXPECT_EQ(topology.gpus[0].name, "Some GPU");
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{0});
}

TEST(ReadRocmBandwidthTest, WithoutTheListThoseThatCopyWithinThemselvesAreGpus) {
  const auto topology = read(distances + speeds);
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(topology.gpus[0].pci, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("there is no list of devices")));
}

TEST(ReadRocmBandwidthTest, LogsCarriageReturnsAndColoursDoNotMatter) {
  const auto expected = read(devices + distances + speeds);
  std::string messy = "RocmBandwidthTest Version: 2.6.0\r\n\r\n  Launch Command is: rocm-bandwidth-test\r\n";
  for (const char c : devices + distances + speeds) messy += c == '\n' ? std::string("\x1b[0m\r\n") : std::string(1, c);
  auto topology = read(messy);
  topology.notes = expected.notes;
  EXPECT_EQ(topology, expected);
}

TEST(ReadRocmBandwidthTest, ATruncatedTableGivesWhatIsThere) {
  const auto whole = devices + distances + speeds;
  const auto topology = read(whole.substr(0, whole.find("42.25") + 4));
  // "42.2" is half a number; the other direction was measured, but is not this one's speed.
  EXPECT_EQ(link(topology, 1, 0).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, 42.5);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("a row is cut off: 3 has 2 of 5 cells")));
}

TEST(ReadRocmBandwidthTest, SpeedsThatAreNoneAreNoted) {
  for (const char* cell : {"1e400", "inf", "-3", "0.000", "x"}) {
    const auto topology = read(std::string("Device: 0, A, 01:0.0\nDevice: 1, B, 29:0.0\n"
                                           "Unidirectional copy peak bandwidth GB/s\nD/D 0 1\n\n0 500 ") +
                               cell + "\n\n1 " + cell + " 500\n");
    EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt) << cell;
    EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:6: a cell is not understood"))) << cell;
  }
}

TEST(ReadRocmBandwidthTest, ARowThatRepeatsTheHostsIsNamedAndNotTaken) {
  const std::string repeated =
      "Unidirectional copy peak bandwidth GB/s\n\nD/D   0     1     2     3     4\n\n"
      "0   N/A   N/A   26.977 26.975 26.977\n\n1   N/A   N/A   27.0  26.9  27.0\n\n"
      "2   28.1  28.1  900   26.975 26.977\n\n3   28.1  28.1  42.25 901   42.0\n\n4   28.1  28.1  21.25 42.0  902\n";
  const auto topology = read(devices + distances + repeated);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).assumed_bandwidth_gb_per_s, 50.0);
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 2).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 1, 0).bandwidth_gb_per_s, 42.25);
  EXPECT_THAT(topology.notes,
              Contains("node.txt:29: a measured speed is doubtful and is not taken, 2 to all others: its "
                       "speeds to other GPUs repeat those of copies from the host"));
}

TEST(ReadRocmBandwidthTest, ATenfoldAsymmetryIsNamedAndNeitherDirectionTaken) {
  std::string uneven = speeds;
  uneven.replace(uneven.find("42.25"), 5, "4.1");
  const auto topology = read(devices + distances + uneven);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 1, 0).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 1, 0).assumed_bandwidth_gb_per_s, 50.0);
  EXPECT_EQ(link(topology, 1, 2).bandwidth_gb_per_s, 42.0);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("doubtful and is not taken, 2 to 3: 42.5 GB/s, and 4.1 back")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("doubtful and is not taken, 3 to 2: 4.1 GB/s, and 42.5 back")));
}

TEST(ReadRocmBandwidthTest, OfManyDoubtfulSpeedsSomeAreNamed) {
  std::string text;
  std::string header = "D/D";
  std::string cells;
  for (int device = 0; device < 40; ++device) {
    text += "Device: " + std::to_string(device) + ", A, " + std::to_string(10 + device) + ":0.0\n";
    header += ' ' + std::to_string(device);
  }
  for (int from = 0; from < 40; ++from) {
    cells += std::to_string(from);
    for (int to = 0; to < 40; ++to) cells += from == to ? " 900" : from < to ? " 40" : " 1";
    cells += "\n\n";
  }
  const auto topology = read(text + "Unidirectional copy peak bandwidth GB/s\n\n" + header + "\n\n" + cells);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_THAT(topology.notes, SizeIs(::testing::Le(20u)));
  EXPECT_THAT(topology.notes,
              Contains(HasSubstr("doubtful and is not taken: 0 to 17: 40.0 GB/s, and 1.0 back, and 15")));
}

TEST(ReadRocmBandwidthTest, TheFirstOfTwoDevicesOfOneNumberCounts) {
  const auto topology = read("Device: 0, A, 01:0.0\nDevice: 0, B, 29:0.0\nInter-Device Access\n");
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].name, "A");
  EXPECT_THAT(topology.notes, Contains("node.txt:2: a device is listed twice; the first counts: 0"));
}

TEST(ReadRocmBandwidthTest, ATextWithoutAGpuIsOneErrorWithItsLine) {
  EXPECT_THAT(error_of("RocmBandwidthTest Version: 2.6.0\nDevice: 0, Some CPU\n"), StartsWith("node.txt:2: "));
  std::string many;
  for (int device = 0; device < 3000; ++device) many += "Device: " + std::to_string(device) + ", A, 01:0.0\n";
  EXPECT_THAT(error_of(many), HasSubstr("GPUs are more than 2048"));
}

TEST(ReadRocmBandwidthTest, KnowsItsOwnTextAndNoOther) {
  EXPECT_TRUE(is_rocm_bandwidth_test(distances));
  EXPECT_TRUE(is_rocm_bandwidth_test(speeds));
  EXPECT_FALSE(is_rocm_bandwidth_test("==== Bandwidth ====\nGPU0 GPU1\n"));
  EXPECT_FALSE(is_rocm_bandwidth_test(""));
}

}  // namespace
}  // namespace skua
