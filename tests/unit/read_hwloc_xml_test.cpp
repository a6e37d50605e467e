// hwloc's XML files, of this version and others.
#include <read/hwloc_xml.hpp>

#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

namespace skua {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A machine with two packages; `first` hangs at the first one, `second` at the other.
Topology read(const std::string& first, const std::string& second = "", const std::string& distances = "") {
  const auto package = [](int number, const std::string& devices) {
    return fmt::format(
        "<object type=\"Package\" os_index=\"{0}\" cpuset=\"0x0000000{1}\" nodeset=\"0x0000000{2}\">\n"
        "<object type=\"NUMANode\" os_index=\"{0}\" cpuset=\"0x0000000{1}\" nodeset=\"0x0000000{2}\" "
        "local_memory=\"1024\"/>\n{3}</object>\n",
        number, number == 0 ? '3' : 'c', number + 1, devices);
  };
  const std::string text =
      "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\" cpuset=\"0x0000000f\" "
      "nodeset=\"0x00000003\">\n" +
      package(0, first) + package(1, second) + "</object>\n" + distances + "</topology>\n";
  return read_hwloc_xml(XmlDocument::read(text, "node.xml").root(), "node.xml");
}

std::string bridge(const std::string& type, const std::string& devices) {
  return fmt::format("<object type=\"Bridge\" bridge_type=\"{}\">{}</object>\n", type, devices);
}

std::string gpu(const std::string& busid, int index, const std::string& name, const std::string& infos = "") {
  return fmt::format(
      "<object type=\"PCIDev\" gp_index=\"{0}\" pci_busid=\"{1}\" pci_type=\"0302 [10de:20b0] [10de:0001] a1\">"
      "<object type=\"OSDev\" gp_index=\"{2}\" name=\"{3}\" osdev_type=\"5\">{4}</object></object>\n",
      index, busid, index + 100, name, infos);
}

std::string nvswitch(int index) {
  return fmt::format(
      "<object type=\"PCIDev\" gp_index=\"{}\" subtype=\"NVSwitch\" pci_busid=\"0000:c{}:00.0\" "
      "pci_type=\"0680 [10de:1ac2] [0000:0000] a1\"/>\n",
      index, index % 10);
}

std::string matrix(const std::string& name, const std::string& objects, const std::string& values) {
  return fmt::format(
      "<distances2hetero nbobjs=\"2\" kind=\"25\" name=\"{}\"><indexes length=\"9\">{}</indexes>"
      "<u64values length=\"9\">{}</u64values></distances2hetero>\n",
      name, objects, values);
}

const Link& link(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  return *topology.link(GpuId{from}, GpuId{to});
}

TEST(ReadHwlocXml, ReadsGpusAndWhereTheyAre) {
  const auto topology =
      read(gpu("0000:01:00.0", 1, "nvml0",
               "<info name=\"GPUModel\" value=\"A &amp; B\"/><info name=\"CUDAMultiProcessors\" value=\"108\"/>"
               "<info name=\"CUDAGlobalMemorySize\" value=\"2048\"/>"),
           gpu("0000:81:00.0", 2, "nvml1"));
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(topology.gpus[0].name, "A & B");
  EXPECT_EQ(topology.gpus[0].compute_units, 108u);
  EXPECT_EQ(topology.gpus[0].memory_bytes, 2048u * 1024);
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{0});
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("0-1"));
  EXPECT_EQ(topology.gpus[1].name, "NVIDIA GPU 20b0");
  EXPECT_EQ(topology.gpus[1].pci, PciAddress::from_text("0000:81:00.0"));
  EXPECT_EQ(topology.gpus[1].numa_node, NumaId{1});
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::system);
  ASSERT_THAT(topology.numa_nodes, SizeIs(2));
  EXPECT_EQ(topology.numa_nodes[1].cpus, CpuSet::from_list("2-3"));
  EXPECT_EQ(topology.numa_nodes[1].package, 1u);
  EXPECT_EQ(topology.numa_nodes[1].memory_bytes, 1024u);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadHwlocXml, GpusAreInTheOrderOfTheirDriversNumbers) {
  const auto topology = read(gpu("0000:01:00.0", 1, "nvml2") + gpu("0000:02:00.0", 2, "nvml0"),
                             gpu("0000:03:00.0", 3, "card0") + gpu("0000:04:00.0", 4, "nvml1"));
  std::vector<int> buses;
  for (const Gpu& each : topology.gpus) buses.push_back(each.pci->bus);
  EXPECT_THAT(buses, ElementsAre(2, 4, 1, 3));
}

TEST(ReadHwlocXml, PairsShareASwitchAHostBridgeOrANode) {
  const auto topology =
      read(bridge("0-1", bridge("1-1", gpu("0000:01:00.0", 1, "nvml0") + gpu("0000:02:00.0", 2, "nvml1")) +
                             bridge("1-1", gpu("0000:03:00.0", 3, "nvml2"))) +
           bridge("0-1", bridge("1-1", gpu("0000:04:00.0", 4, "nvml3"))));
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::switch_);
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::bridge);
  EXPECT_EQ(link(topology, 0, 3).locality, Locality::node);
}

TEST(ReadHwlocXml, MatricesTellDirectLinksAndTheirSpeed) {
  const auto topology = read(gpu("0000:01:00.0", 1, "nvml0") + gpu("0000:02:00.0", 2, "nvml1"), "",
                             matrix("NVLinkBandwidth", "OSDev:101 OSDev:102", "1000000 50000 50000 1000000 "));
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::nvlink);
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 0, 1).count, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, 50.0);
  EXPECT_EQ(topology.gpus[1].hive, 0u);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadHwlocXml, GpusAtTheSameSwitchesAreDirectlyJoined) {
  const auto topology =
      read(gpu("0000:01:00.0", 1, "nvml0") + gpu("0000:02:00.0", 2, "nvml1") + nvswitch(50) + nvswitch(51),
           gpu("0000:03:00.0", 3, "nvml2"),
           matrix("NVLinkBandwidth", "OSDev:101 OSDev:102 PCIDev:50\nPCIDev:51 OSDev:103",
                  "0 0 25000 25000 0  0 0 25000 50000 0  25000 25000 0 0 0  25000 50000 0 0 0  0 0 0 0 0"));
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::nvlink);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, 50.0);
  EXPECT_EQ(link(topology, 0, 2).kind, LinkKind::pcie);
}

// The type of a device that did not answer is zeros.
TEST(ReadHwlocXml, SwitchesAndGpusAreKnownByTheirDriverToo) {
  std::string first = gpu("0000:01:00.0", 1, "nvml0");
  std::string silent = nvswitch(50);
  first.replace(first.find("0302 [10de:20b0]"), 16, "0000 [0000:0000]");
  silent.replace(silent.find("0680 [10de:1ac2]"), 16, "0000 [0000:0000]");
  const auto topology =
      read(first + gpu("0000:02:00.0", 2, "nvml1") + silent, "",
           matrix("NVLinkBandwidth", "OSDev:101 OSDev:102 PCIDev:50", "0 0 25000 0 0 25000 25000 25000 0"));
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, 25.0);
}

std::string amd_gpu(int index, const std::string& infos = "<info name=\"XGMIHiveID\" value=\"0xf00000000000000f\"/>") {
  std::string text = gpu(fmt::format("0000:{:02x}:00.0", index), index, fmt::format("rsmi{}", index - 1), infos);
  return text.replace(text.find("10de:20b0"), 9, "1002:738c");
}

const std::string three_objects = "OSDev:101 OSDev:102 OSDev:103";
const std::string all_the_same = "1000000 100000 100000 100000 1000000 100000 100000 100000 1000000";
const std::string always_one = "0 1 1 1 0 1 1 1 0";

Topology three_amd_gpus(const std::string& distances,
                        const std::string& infos = "<info name=\"XGMIHiveID\" value=\"1f\"/>") {
  return read(amd_gpu(1, infos) + amd_gpu(2, infos) + amd_gpu(3, infos), "", distances);
}

TEST(ReadHwlocXml, XgmiSpeedsThatTellPairsApartAreBelieved) {
  const auto topology =
      three_amd_gpus(matrix("XGMIHops", three_objects, always_one) +
                     matrix("XGMIBandwidth", three_objects, "1000000 50000 0 50000 1000000 100000 0 100000 1000000"));
  EXPECT_EQ(topology.gpus[0].name, "AMD Instinct MI100");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 1, 2).bandwidth_gb_per_s, 100.0);
  EXPECT_EQ(link(topology, 0, 2).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_EQ(topology.gpus[2].hive, 0u);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadHwlocXml, XgmiMatricesOfOneValueOnlySayThatPairsAreJoined) {
  const std::string speeds = matrix("XGMIBandwidth", three_objects, all_the_same);
  const std::string hops = matrix("XGMIHops", three_objects, always_one);
  for (const std::string& distances : {speeds, hops, speeds + hops, hops + speeds}) {
    for (const char* infos : {"", "<info name=\"XGMIHiveID\" value=\"1f\"/>"}) {
      const auto topology = three_amd_gpus(distances, infos);
      for (std::uint32_t from = 0; from < 3; ++from) {
        for (std::uint32_t to = 0; to < 3; ++to) {
          if (from == to) continue;
          EXPECT_EQ(link(topology, from, to).kind, LinkKind::xgmi);
          EXPECT_EQ(link(topology, from, to).hops, std::nullopt);
          EXPECT_EQ(link(topology, from, to).count, std::nullopt);
          EXPECT_EQ(link(topology, from, to).bandwidth_gb_per_s, std::nullopt);
          EXPECT_TRUE(link(topology, from, to).assumed_bandwidth_gb_per_s);
        }
        EXPECT_EQ(topology.gpus[from].hive, 0u);
      }
      EXPECT_THAT(topology.notes, ElementsAre(HasSubstr("the matrices of XGMI have one value for all pairs")));
    }
  }
}

// Two hives: what is 0 is not joined, and the rest is still one value.
TEST(ReadHwlocXml, XgmiMatricesOfOneValueAndZerosStillTellHives) {
  const auto topology =
      three_amd_gpus(matrix("XGMIBandwidth", three_objects, "1000000 100000 0 100000 1000000 0 0 0 1000000"), "");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 0, 2).kind, LinkKind::pcie);
  EXPECT_EQ(topology.gpus[1].hive, 0u);
  EXPECT_EQ(topology.gpus[2].hive, std::nullopt);
}

TEST(ReadHwlocXml, XgmiHopsThatTellPairsApartAreBelieved) {
  const auto topology = three_amd_gpus(matrix("XGMIHops", three_objects, "0 1 2 1 0 1 2 1 0") +
                                       matrix("XGMIBandwidth", three_objects, all_the_same));
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_THAT(topology.notes, IsEmpty());
}

// NVLink's speeds are read from the links themselves.
TEST(ReadHwlocXml, NvLinkMatricesOfOneValueAreBelieved) {
  const auto topology =
      read(gpu("0000:01:00.0", 1, "nvml0") + gpu("0000:02:00.0", 2, "nvml1") + gpu("0000:03:00.0", 3, "nvml2"), "",
           matrix("NVLinkBandwidth", three_objects, all_the_same));
  EXPECT_EQ(link(topology, 0, 2).bandwidth_gb_per_s, 100.0);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadHwlocXml, AGpuThatItsDriverDidNotStartIsHidden) {
  std::string silent = gpu("0000:02:00.0", 2, "card1");
  std::string other_vendor = gpu("0000:03:00.0", 3, "card2");
  other_vendor.replace(other_vendor.find("10de:20b0"), 9, "1002:738c");
  const auto topology = read(silent + gpu("0000:01:00.0", 1, "nvml0") + other_vendor);
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(topology.gpus[0].hidden_by, std::nullopt);
  EXPECT_EQ(topology.gpus[1].pci, PciAddress::from_text("0000:02:00.0"));
  EXPECT_EQ(topology.gpus[1].hidden_by, "no compute driver");
  EXPECT_EQ(topology.gpus[2].hidden_by, std::nullopt);
  EXPECT_THAT(topology.notes,
              ElementsAre(HasSubstr("a GPU is not known to its vendor's library; the driver did not start "
                                    "it: 0000:02:00.0")));
  // Where no library was asked, nothing is known of any.
  EXPECT_THAT(read(silent + other_vendor).notes, IsEmpty());
}

TEST(ReadHwlocXml, FilesWithoutPciDevicesStillHaveTheDriversGpus) {
  const auto topology = read("<object type=\"OSDev\" gp_index=\"7\" name=\"nvml0\"/>");
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].name, "nvml0");
  EXPECT_EQ(topology.gpus[0].pci, std::nullopt);
}

TEST(ReadHwlocXml, AMachineWithoutGpusHasItsNumaNodes) {
  const auto topology = read("");
  EXPECT_THAT(topology.gpus, IsEmpty());
  EXPECT_THAT(topology.numa_nodes, SizeIs(2));
}

TEST(ReadHwlocXml, WhatDoesNotFitIsNotedAndTheRestIsRead) {
  const std::string first = gpu("0000:01:00.0", 1, "nvml0") + gpu("0000:02:00.0", 2, "nvml1");
  const auto notes = [&](const std::string& distances) { return read(first, "", distances).notes; };
  const std::string objects = "OSDev:101 OSDev:102";
  EXPECT_THAT(notes(matrix("NVLinkBandwidth", objects, "0 1 1")),
              ElementsAre(HasSubstr("node.xml:12: a matrix is not complete")));
  EXPECT_THAT(notes(matrix("NVLinkBandwidth", objects, "0 x 1 0")), ElementsAre(HasSubstr("a matrix is not complete")));
  EXPECT_THAT(notes(matrix("NVLinkBandwidth", "", "")), ElementsAre(HasSubstr("a matrix is not complete")));
  EXPECT_THAT(notes(matrix("NVLinkBandwidth", objects, "0 99999999999 0 0")),
              ElementsAre(HasSubstr("a speed that no link has")));
  EXPECT_THAT(notes(matrix("NVLinkBandwidth", objects, "0 25000 0 0")),
              ElementsAre(HasSubstr("in one direction only: gpu 0")));
  EXPECT_THAT(notes(matrix("NVLinkBandwidth", objects, "0 25000 50000 0")),
              ElementsAre(HasSubstr("a link differs from the one back")));
  EXPECT_THAT(notes(matrix("NVLinkBandwidth", "OSDev:101 Package:9", "0 25000 25000 0")), IsEmpty());
  EXPECT_THAT(notes(matrix("NUMALatency", "NUMANode:1 x", "10")), IsEmpty());
  const auto twice = read(gpu("0000:01:00.0", 1, "nvml0"), gpu("0000:01:00.0", 2, "nvml1"));
  EXPECT_THAT(twice.gpus, SizeIs(2));
  EXPECT_THAT(twice.notes, ElementsAre(HasSubstr("two GPUs have one address: 0000:01:00.0")));
  EXPECT_THAT(read("<object type=\"NUMANode\" os_index=\"0\"/>").notes,
              ElementsAre(HasSubstr("a NUMA node is there twice")));
}

}  // namespace
}  // namespace skua
