// Tables of `rocm-smi --showtopo` as people paste them.
#include <read/rocm_smi.hpp>

#include <chrono>
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

const std::string weights_title = "=========== Weight between two GPUs ===========\n";
const std::string hops_title = "=========== Hops between two GPUs ===========\n";
const std::string types_title = "=========== Link Type between two GPUs ===========\n";
const std::string speeds_title = "=========== Bandwidth ===========\n";

Topology read(const std::string& text) {
  return read_rocm_smi_text(text, "node.txt");
}

std::string error_of(const std::string& text) {
  return error_of(read, text);
}

/// A chain 0-1-2-3 of XGMI links, as versions print it that say 1 hop for every pair.
std::string chain() {
  return weights_title +
         "       GPU0   GPU1   GPU2   GPU3\n"
         "GPU0   0      15     30     45\nGPU1   15     0      15     30\n"
         "GPU2   30     15     0      15\nGPU3   45     30     15     0\n\n" +
         hops_title +
         "       GPU0   GPU1   GPU2   GPU3\n"
         "GPU0   0      1      1      1\nGPU1   1      0      1      1\n"
         "GPU2   1      1      0      1\nGPU3   1      1      1      0\n\n" +
         types_title +
         "       GPU0   GPU1   GPU2   GPU3\n"
         "GPU0   0      XGMI   XGMI   XGMI\nGPU1   XGMI   0      XGMI   XGMI\n"
         "GPU2   XGMI   XGMI   0      XGMI\nGPU3   XGMI   XGMI   XGMI   0\n\n"
         "=========== Numa Nodes ===========\n"
         "GPU[0]\t\t: (Topology) Numa Node: 3\nGPU[0]\t\t: (Topology) Numa Affinity: 3\n"
         "GPU 1          : (Topology) Numa Node: 2\nGPU[2]\t\t: (Topology) Numa Affinity: 1\n"
         "GPU[3]\t\t: (Topology) Numa Node: -1\nGPU[3]\t\t: (Topology) Numa Affinity: -1\n"
         "=========== End of ROCm SMI Log ===========\n";
}

TEST(ReadRocmSmiText, CountsHopsFromWeightsNotFromTheHopsTable) {
  const auto topology = read(chain());
  ASSERT_THAT(topology.gpus, SizeIs(4));
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_EQ(link(topology, 3, 0).hops, 3u);
  EXPECT_EQ(link(topology, 3, 0).kind, LinkKind::xgmi);
  EXPECT_EQ(topology.gpus[3].hive, 0u);
  EXPECT_THAT(topology.notes, SizeIs(1));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("1 hop for every XGMI pair although weights differ")));
}

TEST(ReadRocmSmiText, TakesNumaNodesByTheNumberOfTheGpu) {
  const auto topology = read(chain());
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{3});
  EXPECT_EQ(topology.gpus[1].numa_node, NumaId{2});
  EXPECT_EQ(topology.gpus[2].numa_node, NumaId{1});
  EXPECT_EQ(topology.gpus[3].numa_node, std::nullopt);
  EXPECT_EQ(topology.gpus[0].basis, Basis::file);
}

TEST(ReadRocmSmiText, PciePairsKeepTheirPrintedHopsAndTheirPlace) {
  const auto topology = read(weights_title + "GPU0 GPU1 GPU2\nGPU0 0 40 72\nGPU1 40 0 72\nGPU2 72 72 0\n" + hops_title +
                             "GPU0 GPU1 GPU2\nGPU0 0 2 3\nGPU1 2 0 3\nGPU2 3 3 0\n" + types_title +
                             "GPU0 GPU1 GPU2\nGPU0 0 PCIE PCIE\nGPU1 PCIE 0 PCIE\nGPU2 PCIE PCIE 0\n");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 1).hops, 2u);
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::node);
  EXPECT_EQ(link(topology, 2, 0).hops, 3u);
  EXPECT_EQ(link(topology, 2, 0).locality, Locality::system);
  EXPECT_EQ(topology.gpus[0].hive, std::nullopt);
  EXPECT_THAT(topology.notes, IsEmpty());
}

// 41 is one hop between partitions of two GPUs, though 41 is no multiple of 15.
TEST(ReadRocmSmiText, PartitionsArePackagesAndOneHopFromOthers) {
  const auto topology = read(weights_title + "GPU0 GPU1 GPU2\nGPU0 0 13 41\nGPU1 13 0 41\nGPU2 41 41 0\n" +
                             types_title + "GPU0 GPU1 GPU2\nGPU0 0 XGMI XGMI\nGPU1 XGMI 0 XGMI\nGPU2 XGMI XGMI 0\n");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::package);
  EXPECT_EQ(link(topology, 0, 2).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 2).hops, 1u);
}

TEST(ReadRocmSmiText, SpeedsTellLinkCountsAndZeroTellsNothing) {
  const auto topology =
      read(weights_title + "GPU0 GPU1 GPU2\nGPU0 0 15 15\nGPU1 15 0 30\nGPU2 15 30 0\n" + types_title +
           "GPU0 GPU1 GPU2\nGPU0 0 XGMI XGMI\nGPU1 XGMI 0 XGMI\nGPU2 XGMI XGMI 0\n" + speeds_title +
           "GPU0 GPU1 GPU2\nGPU0 N/A 50000-200000 50000-50000\n"
           "GPU1 50000-200000 N/A 0-0\nGPU2 50000-50000 0-0 N/A\nFormat: min-max; Units: mps\n");
  EXPECT_EQ(link(topology, 0, 1).count, 4u);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, 200.0);
  EXPECT_EQ(link(topology, 1, 2).hops, 2u);
  EXPECT_EQ(link(topology, 1, 2).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 1, 2).assumed_bandwidth_gb_per_s, 50.0);
}

TEST(ReadRocmSmiText, OfWeightsAloneThoseThatNoBusHasTellXgmi) {
  const auto topology = read(weights_title +
                             "GPU0 GPU1 GPU2 GPU3\nGPU0 0 15 30 72\nGPU1 15 0 15 72\nGPU2 30 15 0 60\n"
                             "GPU3 72 72 60 0\n");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_EQ(link(topology, 0, 3).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 2, 3).kind, LinkKind::pcie);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("no table of link types")));
}

TEST(ReadRocmSmiText, OfSpeedsAloneDirectLinksAreKnownAndOthersCounted) {
  const auto topology = read(speeds_title +
                             "GPU0 GPU1 GPU2\nGPU0 N/A 50000-100000 0-0\nGPU1 50000-100000 N/A 50000-50000\n"
                             "GPU2 0-0 50000-50000 N/A\n");
  EXPECT_EQ(link(topology, 0, 1).count, 2u);
  EXPECT_EQ(link(topology, 0, 2).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
}

TEST(ReadRocmSmiText, OfTypesWithoutWeightsHopsStayUnknown) {
  const auto topology =
      read(hops_title + "GPU0 GPU1\nGPU0 0 1\nGPU1 1 0\n" + types_title + "GPU0 GPU1\nGPU0 0 XGMI\nGPU1 XGMI 0\n");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 1).hops, std::nullopt);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("no weight that tells its hops")));
}

TEST(ReadRocmSmiText, WarningsColoursCarriageReturnsAndPromptsDoNotMatter) {
  const auto expected = read(chain());
  std::string messy = "user@node:~$ rocm-smi --showtopo\r\n\r\n==== ROCm System Management Interface ====\r\n";
  for (const char c : chain()) messy += c == '\n' ? std::string("\x1b[0m\r\n") : std::string(1, c);
  auto topology = read(messy);
  // Notes name lines, which are others here.
  EXPECT_THAT(topology.notes, SizeIs(expected.notes.size()));
  topology.notes = expected.notes;
  EXPECT_EQ(topology, expected);
  std::string warned = chain();
  warned.insert(warned.find("GPU1   15"),
                "WARNING: GPU device(s) in a low-power state\nGPU0 is in a low-power state\n");
  topology = read(warned);
  topology.notes = expected.notes;
  EXPECT_EQ(topology, expected);
}

TEST(ReadRocmSmiText, LogsBeforeEachLineDoNotMatter) {
  std::string text = "12:00:01 node ";
  for (const char c : chain()) text += c == '\n' ? std::string("\n12:00:01 node ") : std::string(1, c);
  const auto topology = read(text);
  ASSERT_THAT(topology.gpus, SizeIs(4));
  EXPECT_EQ(link(topology, 0, 3).hops, 3u);
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{3});
}

TEST(ReadRocmSmiText, LinesThatATerminalWrappedGoOn) {
  const auto topology =
      read(weights_title + "GPU0 GPU1\nGPU2\nGPU0 0 15\n30\nGPU1 15 0\n15\nGPU2 30 15\n0\n" + types_title +
           "GPU0 GPU1\nGPU2\nGPU0 0 XGMI\nXGMI\nGPU1 XGMI 0\nXGMI\nGPU2 XGMI XGMI\n0\n");
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_EQ(link(topology, 2, 1).hops, 1u);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadRocmSmiText, OtherOutputBesideTheTablesTellsAddressesAndArchitectures) {
  const auto topology = read(
      "GPU[0]\t\t: PCI Bus: 0001:C1:00.0\nGPU[1]\t\t: PCI Bus: 0000:29:00.0\n"
      "GPU[1]\t\t: GFX Version: \t\tgfx90a\n" +
      weights_title + "GPU0 GPU1\nGPU0 0 15\nGPU1 15 0\n");
  EXPECT_EQ(topology.gpus[0].pci, PciAddress::from_text("0001:c1:00.0"));
  EXPECT_EQ(topology.gpus[1].arch, "gfx90a");
}

TEST(ReadRocmSmiText, OfATextThatEndsWithinARowTheHalfWordIsNotRead) {
  const auto topology = read(types_title + "GPU0 GPU1 GPU2\nGPU0 0 PCIE PCIE\nGPU1 PCIE 0 PCIE\nGPU2 PCIE PCIE 0\n" +
                             weights_title + "GPU0 GPU1 GPU2\nGPU0 0 40 72\nGPU1 40 0 7");
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::system);
  // 7 is half of 72; nothing is said of this pair.
  EXPECT_EQ(link(topology, 1, 2).locality, std::nullopt);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:9: a row is cut off: GPU1 has 2 of 3 cells")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:7: rows of a table are missing: 2 of 3 are there")));
}

TEST(ReadRocmSmiText, ATableWhoseTitleWasCutOffIsToldByItsCells) {
  const auto topology =
      read("GPU0 GPU1\nGPU0 0 15\nGPU1 15 0\n\n" + types_title + "GPU0 GPU1\nGPU0 0 XGMI\nGPU1 XGMI 0\n");
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadRocmSmiText, DifferingDirectionsAreNotedAndKept) {
  const auto topology =
      read(weights_title + "GPU0 GPU1\nGPU0 0 15\nGPU1 30 0\n" + types_title + "GPU0 GPU1\nGPU0 0 XGMI\nGPU1 XGMI 0\n");
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 1, 0).hops, 2u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("the directions of a pair have different weights")));
}

TEST(ReadRocmSmiText, AWeightThatTheLinksContradictIsNoted) {
  const auto topology = read(weights_title + "GPU0 GPU1 GPU2\nGPU0 0 15 45\nGPU1 15 0 15\nGPU2 45 15 0\n" +
                             types_title + "GPU0 GPU1 GPU2\nGPU0 0 XGMI XGMI\nGPU1 XGMI 0 XGMI\nGPU2 XGMI XGMI 0\n");
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("a weight contradicts the direct links")));
}

TEST(ReadRocmSmiText, CellsThatAreNoNumbersAreUnknown) {
  for (const char* cell : {"99999999999999999999999", "-15", "1.5e1", "?"}) {
    const auto topology = read(weights_title + "GPU0 GPU1\nGPU0 0 " + cell + "\nGPU1 " + cell + " 0\n" + types_title +
                               "GPU0 GPU1\nGPU0 0 XGMI\nGPU1 XGMI 0\n");
    EXPECT_EQ(link(topology, 0, 1).hops, std::nullopt) << cell;
    EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:3: a cell is not understood"))) << cell;
  }
}

TEST(ReadRocmSmiText, RowsOfAnotherLengthOrDeviceAndSecondRowsAreNoted) {
  const auto topology = read(weights_title + "GPU0 GPU1\nGPU0 0 15 15\nGPU0 0 30\nGPU1 15\nGPU5 15 15\n");
  EXPECT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:3: a row is longer than the header")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:4: a device has a second row; the first counts: GPU0")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:5: a row is cut off: GPU1 has 1 of 2 cells")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:6: a row of a device that has no column")));
}

TEST(ReadRocmSmiText, NumaLinesAloneTellTheGpus) {
  const auto topology = read("GPU[1]\t\t: (Topology) Numa Node: 1\nGPU[0]\t\t: (Topology) Numa Node: 4294967295\n");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(topology.gpus[0].numa_node, std::nullopt);
  EXPECT_EQ(topology.gpus[1].numa_node, NumaId{1});
}

TEST(ReadRocmSmiText, ATextWithoutAGpuIsOneErrorWithItsLine) {
  EXPECT_THAT(error_of("==== ROCm System Management Interface ====\nERROR: no devices\n"), StartsWith("node.txt:2: "));
  EXPECT_THAT(error_of(std::string("\0\xff between two GPUs\n", 20)), StartsWith("node.txt:1: "));
}

TEST(ReadRocmSmiText, MoreGpusThanAnyNodeHasAreAnError) {
  std::string text = weights_title;
  for (int gpu = 0; gpu < 3000; ++gpu) text += " GPU" + std::to_string(gpu);
  EXPECT_THAT(error_of(text + "\n"), HasSubstr("node.txt:2: a table of more than"));
  std::string lines;
  for (int gpu = 0; gpu < 3000; ++gpu) lines += "GPU[" + std::to_string(gpu) + "] : (Topology) Numa Node: 0\n";
  EXPECT_THAT(error_of(lines), HasSubstr("GPUs are more than 2048"));
}

TEST(ReadRocmSmiText, MillionsOfLinesTakeLittleTimeAndFewNotes) {
  std::string text = chain();
  for (int line = 0; line < 100'000; ++line) text += weights_title + "GPU0 GPU1\nGPU0 0 15\nGPU0 0 15\n";
  const auto start = std::chrono::steady_clock::now();
  const auto topology = read(text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(link(topology, 0, 3).hops, 3u);
  EXPECT_THAT(topology.notes.size(), ::testing::Le(5u));
}

TEST(ReadRocmSmiText, KnowsItsOwnTextAndNoOther) {
  EXPECT_TRUE(is_rocm_smi_text(chain()));
  EXPECT_TRUE(is_rocm_smi_text("==== ROCm System Management Interface ====\n"));
  EXPECT_FALSE(is_rocm_smi_text("{\"card0\": {\"(Topology) Numa Node\": \"0\"}}"));
  EXPECT_FALSE(is_rocm_smi_text("WEIGHT TABLE:\n"));
  EXPECT_FALSE(is_rocm_smi_text(""));
}

}  // namespace
}  // namespace skua
