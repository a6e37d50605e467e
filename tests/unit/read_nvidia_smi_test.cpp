// Tables of `nvidia-smi topo -m` as people paste them.
#include <read/nvidia_smi.hpp>

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

Topology read(const std::string& text) {
  return read_nvidia_smi(text, "node.txt");
}

std::string error_of(const std::string& text) {
  return error_of(read, text);
}

TEST(ReadNvidiaSmi, TellsNvlinksPciePlacesCpusAndNodes) {
  const auto topology = read(
      "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV4\tPXB\tSYS\t0-7,16-23\t0\t\tN/A\n"
      "GPU1\tNV4\t X \tPHB\tNODE\t0-7,16-23\t0\t\tN/A\n"
      "GPU2\tPXB\tPHB\t X \tPIX\t8-15\t1\t\tN/A\n"
      "GPU3\tSYS\tNODE\tPIX\t X \t8-15\t1\t\tN/A\n");
  ASSERT_THAT(topology.gpus, SizeIs(4));
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("0-7,16-23"));
  EXPECT_EQ(topology.gpus[3].numa_node, NumaId{1});
  EXPECT_EQ(topology.gpus[0].basis, Basis::file);
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::nvlink);
  EXPECT_EQ(link(topology, 0, 1).count, 4u);
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::switch_);
  EXPECT_EQ(link(topology, 1, 2).locality, Locality::bridge);
  EXPECT_EQ(link(topology, 1, 3).locality, Locality::node);
  EXPECT_EQ(link(topology, 0, 3).locality, Locality::system);
  EXPECT_EQ(link(topology, 3, 2).kind, LinkKind::pcie);
  EXPECT_EQ(topology.gpus[1].hive, 0u);
  EXPECT_EQ(topology.gpus[2].hive, std::nullopt);
  EXPECT_THAT(topology.notes, IsEmpty());
}

// NVLink does not pass data on: a GPU two links away is reached over the host, as the table says.
TEST(ReadNvidiaSmi, APairThatIsSysStaysPcieWhereNvlinksWouldLeadRound) {
  const auto topology = read(
      "GPU0 GPU1 GPU2 CPU Affinity\n"
      "GPU0 X NV1 SYS 0-7\n"
      "GPU1 NV1 X NV2 0-7\n"
      "GPU2 SYS NV2 X 0-7\n");
  EXPECT_EQ(link(topology, 0, 2).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 2).hops, std::nullopt);
  EXPECT_EQ(link(topology, 2, 1).count, 2u);
  EXPECT_EQ(topology.gpus[0].numa_node, std::nullopt);
}

// A reader that counts columns from the end, or takes every column for a GPU, takes cards for GPUs.
TEST(ReadNvidiaSmi, NetworkCardsAndLegendsAreNoGpus) {
  const auto topology = read(
      "        GPU0  GPU1  NIC0  mlx5_1  CPU Affinity  NUMA Affinity\n"
      "GPU0     X    NV18  PIX   SYS     0-31          0\n"
      "GPU1    NV18   X    SYS   PIX     32-63         1\n"
      "NIC0    PIX   SYS    X    SYS\n"
      "mlx5_1  SYS   PIX   SYS    X\n"
      "\nLegend:\n\n  X    = Self\n  SYS  = Across nodes\n  NV#  = A bond of # NVLinks\n"
      "\nNIC Legend:\n\n  NIC0: mlx5_0\n  GPU0: not a row\n");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(link(topology, 0, 1).count, 18u);
  EXPECT_EQ(topology.gpus[1].cpus, CpuSet::from_list("32-63"));
  EXPECT_EQ(topology.gpus[1].numa_node, NumaId{1});
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNvidiaSmi, ColoursCarriageReturnsAndPromptsDoNotMatter) {
  const std::string plain =
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV6\t0-3\t0\t\tN/A\nGPU1\tNV6\t X \t4-7\t1\t\tN/A\n";
  const auto expected = read(plain);
  EXPECT_EQ(read("\t\x1b[4mGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\r\n"
                 "GPU0\t X \tNV6\t0-3\t0\t\tN/A\r\nGPU1\tNV6\t X \t4-7\t1\t\tN/A\r\n"),
            expected);
  EXPECT_EQ(read("\t[4mGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID[0m\n"
                 "GPU0\t X \tNV6\t0-3\t0\t\tN/A\nGPU1\tNV6\t X \t4-7\t1\t\tN/A\n"),
            expected);
  EXPECT_EQ(read("user@node:~$ nvidia-smi topo -m\n" + plain + "user@node:~$ GPU0 is free\n"), expected);
  EXPECT_EQ(read("| | GPU 0 | GPU[1] | CPU Affinity | NUMA Affinity | GPU NUMA ID |\n"
                 "| GPU 0 | X | NV6 | 0-3 | 0 | N/A |\n| GPU[1] | NV6 | X | 4-7 | 1 | N/A |"),
            expected);
  EXPECT_EQ(read("12:01:07 node1:    GPU0 GPU1 CPU Affinity NUMA Affinity GPU NUMA ID\n"
                 "12:01:07 node1: GPU0 X NV6 0-3 0 N/A\n12:01:07 node1: GPU1 NV6 X 4-7 1 N/A\n"),
            expected);
}

// Virtual machines leave the column of CPUs empty; the node that follows must not become CPU 1.
TEST(ReadNvidiaSmi, AnEmptyCpuColumnDoesNotShiftTheNode) {
  const std::string header = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  for (const char* rows : {"GPU0\t X \tNV18\t\t1\t\tN/A\nGPU1\tNV18\t X \t\t1\t\tN/A\n",
                           "GPU0   X   NV18          1     N/A\nGPU1   NV18   X        1     N/A\n"}) {
    const auto topology = read(header + rows);
    EXPECT_EQ(topology.gpus[0].cpus, std::nullopt) << rows;
    EXPECT_EQ(topology.gpus[0].numa_node, NumaId{1}) << rows;
  }
  const auto one_cpu = read(header + "GPU0\t X \tNV18\t5\t\tN/A\nGPU1\tNV18\t X \t5\t1\t\tN/A\n");
  EXPECT_EQ(one_cpu.gpus[0].cpus, CpuSet({5}));
  EXPECT_EQ(one_cpu.gpus[0].numa_node, std::nullopt);
  EXPECT_EQ(one_cpu.gpus[1].numa_node, NumaId{1});
}

TEST(ReadNvidiaSmi, AffinityToNoneOrToSeveralNodesIsUnknown) {
  const auto topology = read(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tPHB\t0-7\t\tN/A\t\tN/A\nGPU1\tPHB\t X \t0-7\t0-1\t\t8\n");
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("0-7"));
  EXPECT_EQ(topology.gpus[0].numa_node, std::nullopt);
  EXPECT_EQ(topology.gpus[1].numa_node, std::nullopt);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:3: the NUMA affinity is not one node")));
}

TEST(ReadNvidiaSmi, OldDriversHaveOtherWords) {
  const auto topology = read(
      "        GPU0    GPU1    GPU2    CPU Affinity\n"
      "GPU0     X      PSB     SOC     0-11\nGPU1    PSB      X      SOC     0-11\nGPU2    SOC     SOC      X      "
      "12-23\n"
      "\nLegend:\n\n  X   = Self\n  SOC = Path traverses a socket link\n");
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::switch_);
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::system);
}

TEST(ReadNvidiaSmi, ASingleGpuHasARowAndNoLinks) {
  const auto topology = read("\tGPU0\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tPHB\t0-31\tN/A\nNIC0\tPHB\t X \n");
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("0-31"));
  EXPECT_THAT(topology.links, IsEmpty());
  EXPECT_THAT(read("\tGPU0\tCPU Affinity\nGPU0\t X \t0-31\n").gpus, SizeIs(1));
}

TEST(ReadNvidiaSmi, LinesThatATerminalWrappedGoOn) {
  const auto topology = read(
      "GPU0 GPU1 GPU2\nGPU3 NIC0 CPU\nAffinity NUMA Affinity\n"
      "GPU0 X NV1 NV1\nNV2 PIX 0-3\n0\n"
      "GPU1 NV1 X NV2\nNV1 PIX 0-3 0\n"
      "GPU2 NV1 NV2 X NV2\nPIX 4-7 1\n"
      "GPU3 NV2 NV1 NV2 X PIX\n4-7 1\n"
      "NIC0 PIX PIX PIX\nPIX X\n");
  ASSERT_THAT(topology.gpus, SizeIs(4));
  EXPECT_EQ(link(topology, 0, 3).count, 2u);
  EXPECT_EQ(link(topology, 3, 2).count, 2u);
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{0});
  EXPECT_EQ(topology.gpus[3].cpus, CpuSet::from_list("4-7"));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNvidiaSmi, ColumnsOfNamesThatAreNotKnownDoNotMatter) {
  const auto topology = read(
      "GPU0 and GPU1 are linked\nGPU0 GPU1 are linked\n"
      "GPU0 GPU1 CPU Affinity NUMA Affinity Other Things\nGPU0 X NV2 0-3 0 7\nGPU1 NV2 X 4-7 1 7\n");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(topology.gpus[1].numa_node, NumaId{1});
  EXPECT_THAT(topology.notes, IsEmpty());
}

// Where the terminal broke a tab, cells stand together.
TEST(ReadNvidiaSmi, CellsRunTogetherAreTakenApart) {
  const auto topology = read(
      "GPU0 GPU1 GPU2 NIC0 NIC1 CPU Affinity\n"
      "GPU0 X NV18NODE PIXNODE 0-3\nGPU1 NV18 X SYS NODEPIX 0-3\nGPU2 NODE SYS X SYSSYS 4-7\n");
  EXPECT_EQ(link(topology, 0, 1).count, 18u);
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::node);
  EXPECT_EQ(topology.gpus[2].cpus, CpuSet::from_list("4-7"));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNvidiaSmi, SixteenGpusGoByTheirNumbersNotByThePlaceOfTheirRows) {
  std::string header;
  std::string rows;
  for (int from = 0; from < 16; ++from) {
    header += "\tGPU" + std::to_string(from);
    std::string row = "GPU" + std::to_string(from);
    for (int to = 0; to < 16; ++to) row += from == to ? "\t X " : (from / 8 == to / 8 ? "\tNV6" : "\tSYS");
    rows = row + "\n" + rows;
  }
  const auto topology = read(header + "\n" + rows);
  ASSERT_THAT(topology.gpus, SizeIs(16));
  EXPECT_EQ(topology.gpus[15].name, "GPU15");
  EXPECT_EQ(link(topology, 9, 15).count, 6u);
  EXPECT_EQ(link(topology, 7, 8).locality, Locality::system);
  EXPECT_EQ(topology.gpus[15].hive, 1u);
}

TEST(ReadNvidiaSmi, OfATextThatEndsWithinARowTheHalfWordIsNotRead) {
  const auto topology = read(
      "\tGPU0\tGPU1\tGPU2\tCPU Affinity\n"
      "GPU0\t X \tNV12\tNV12\t0-3\nGPU1\tNV12\t X \tNV1");
  ASSERT_THAT(topology.gpus, SizeIs(3));
  // Of the other direction and of the row that is not there nothing is known but what row 0 says.
  EXPECT_EQ(link(topology, 2, 0).count, 12u);
  EXPECT_EQ(link(topology, 1, 2).count, std::nullopt);
  EXPECT_EQ(link(topology, 1, 0).count, 12u);
  EXPECT_EQ(topology.gpus[1].cpus, std::nullopt);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:3: a row is cut off: GPU1 has 2 of 3 cells")));
  EXPECT_THAT(topology.notes,
              Contains(HasSubstr("one direction only; the other is taken to be like it: GPU0 and GPU2")));
  EXPECT_THAT(read("GPU0 GPU1 CPU Affinity\nGPU0 X PIX 0-31\nGPU1 PIX X 0-3").gpus[1].cpus, CpuSet::from_list("0-3"));
}

TEST(ReadNvidiaSmi, WithoutTheHeaderTheRowsTellTheColumns) {
  const auto topology = read("GPU0\t X \tNV2\tSYS\nGPU1\tNV2\t X \tSYS\nGPU2\tSYS\tSYS\t X \n");
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(link(topology, 0, 1).count, 2u);
  EXPECT_THAT(topology.notes, Contains(StartsWith("node.txt:1: the header does not name the GPUs of all rows")));
}

TEST(ReadNvidiaSmi, ThatTheDirectionsOfAPairDifferIsNotedAndKept) {
  const auto topology = read("GPU0 GPU1\nGPU0 X NV2\nGPU1 NV1 X\n");
  EXPECT_EQ(link(topology, 0, 1).count, 2u);
  EXPECT_EQ(link(topology, 1, 0).count, 1u);
  EXPECT_THAT(topology.notes,
              Contains(HasSubstr("the directions of a pair differ; each is kept as printed: GPU0 and GPU1")));
}

TEST(ReadNvidiaSmi, WordsThatAreNoRelationLeaveThePairUnknown) {
  for (const char* word : {"NV99999999999999999999", "NV0", "OK", "N/A"}) {
    const auto topology = read(std::string("GPU0 GPU1\nGPU0 X ") + word + "\nGPU1 " + word + " X\n");
    EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::unknown) << word;
    EXPECT_EQ(link(topology, 0, 1).count, std::nullopt) << word;
    EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:2: a relation is not understood"))) << word;
  }
}

TEST(ReadNvidiaSmi, TheFirstOfTwoRowsOfOneGpuCounts) {
  const auto topology = read("GPU0 GPU1\nGPU0 X NV2\nGPU0 X SYS\nGPU1 NV2 X\n");
  EXPECT_EQ(link(topology, 0, 1).count, 2u);
  EXPECT_THAT(topology.notes, Contains("node.txt:3: a GPU has a second row; the first counts: GPU0"));
}

TEST(ReadNvidiaSmi, ARowThatIsShiftedIsNoted) {
  const auto topology = read("GPU0 GPU1\nGPU0 NV2 X\nGPU1 NV2 X\n");
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:2: the X of a row does not stand in its own column")));
}

TEST(ReadNvidiaSmi, ImpossibleCpusAreNoted) {
  const auto topology = read("GPU0 GPU1 CPU Affinity\nGPU0 X PIX 0-4000000000\nGPU1 PIX X 0-1048575\n");
  EXPECT_EQ(topology.gpus[0].cpus, std::nullopt);
  EXPECT_EQ(topology.gpus[1].cpus, std::nullopt);
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.txt:2: a CPU list is not understood")));
}

TEST(ReadNvidiaSmi, ATextWithoutAGpuIsOneErrorWithItsLine) {
  EXPECT_THAT(error_of("No devices were found\n"), StartsWith("node.txt:1: "));
  EXPECT_THAT(error_of(""), StartsWith("node.txt:0: "));
  EXPECT_THAT(error_of(std::string("\0\x01\xff GPU\n\n\x1b[", 11)), StartsWith("node.txt:2: "));
}

TEST(ReadNvidiaSmi, MoreGpusThanAnyNodeHasAreAnError) {
  std::string header;
  for (int gpu = 0; gpu < 3000; ++gpu) header += " GPU" + std::to_string(gpu);
  EXPECT_THAT(error_of(header + "\nGPU0 X NV1\n"), HasSubstr("GPUs are more than 2048"));
}

TEST(ReadNvidiaSmi, MillionsOfLinesTakeLittleTimeAndOneNote) {
  std::string text = "GPU0 GPU1\nGPU0 X NV2\nGPU1 NV2 X\n";
  for (int line = 0; line < 200'000; ++line) text += "GPU0 X NV2\nGPU7 and other words\n";
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(is_nvidia_smi(text));
  const auto topology = read(text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_THAT(topology.notes, SizeIs(1));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("GPU0, and 199999 times more")));
}

TEST(ReadNvidiaSmi, KnowsItsOwnTextAndNoOther) {
  EXPECT_TRUE(is_nvidia_smi("\x1b[4m\tGPU0\tGPU1\x1b[0m\nGPU0\t X \tNV2\n"));
  EXPECT_TRUE(is_nvidia_smi("\tGPU0\tCPU Affinity\n"));
  EXPECT_FALSE(is_nvidia_smi("       GPU0         GPU1\nGPU0   0            15\nGPU1   15           0\n"));
  EXPECT_FALSE(is_nvidia_smi("       GPU0         GPU1\nGPU0   0            XGMI\nGPU1   XGMI         0\n"));
  EXPECT_FALSE(is_nvidia_smi("<system><gpu dev=\"0\"/></system>"));
  EXPECT_FALSE(is_nvidia_smi(""));
}

TEST(ReadNvidiaSmi, AGpuThatTheDriverDoesNotAnswerForIsNoted) {
  const auto topology = read(
      "Unable to determine the device handle for GPU1: 0000:02:00.0: Unknown Error\n"
      "\tGPU0\tCPU Affinity\nGPU0\t X \t0-7\n");
  EXPECT_EQ(topology.gpus.size(), 1u);
  EXPECT_THAT(topology.notes, ::testing::ElementsAre(::testing::HasSubstr("the driver does not answer for a GPU")));
}

}  // namespace
}  // namespace skua
