// Topology files of NCCL and RCCL.
#include <read/nccl_xml.hpp>

#include <cstdint>
#include <string>
#include <vector>

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

Topology read(const std::string& cpus) {
  const XmlDocument document = XmlDocument::read("<system version=\"2\">\n" + cpus + "</system>", "node.xml");
  return read_nccl_xml(document.root(), "node.xml");
}

Topology read_on_one_cpu(const std::string& devices) {
  return read("<cpu numaid=\"0\" affinity=\"ff\">\n" + devices + "</cpu>");
}

/// One line of a file.
std::string gpu(const std::string& busid, const std::string& attributes, const std::string& links = "") {
  return fmt::format("<pci busid=\"{}\" class=\"0x120000\"><gpu {}>{}</gpu></pci>\n", busid, attributes, links);
}

std::string xgmi(const std::string& target, int count) {
  return fmt::format("<xgmi target=\"{}\" count=\"{}\" tclass=\"0x120000\"/>", target, count);
}

std::string nvswitch(const std::string& target, int count) {
  return fmt::format("<nvlink target=\"{}\" count=\"{}\" tclass=\"0x068000\"/>", target, count);
}

const Link& link(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  return *topology.link(GpuId{from}, GpuId{to});
}

TEST(ReadNcclXml, ReadsACpusGpusAndTheirLinks) {
  const auto topology = read(
      "<cpu numaid=\"1\" affinity=\"ffff0000\" arch=\"x86_64\">\n"
      "<pci busid=\"0000:c1:00.0\" class=\"0x038000\" vendor=\"0x1002\" device=\"0x7408\" link_width=\"16\">\n"
      "<gpu dev=\"0\" sm=\"110\" gcn=\"910\" arch=\"38911\" rank=\"0\" gdr=\"1\">" +
      xgmi("0000:c6:00.0", 4) + "</gpu></pci>\n" +
      gpu("0000:c6:00.0", "dev=\"1\" sm=\"110\" gcn=\"910\"", xgmi("0000:c1:00.0", 4)) + "</cpu>");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  const Gpu& first = topology.gpus[0];
  EXPECT_EQ(first.name, "AMD Instinct MI250X");
  EXPECT_EQ(first.arch, "gfx90a");
  EXPECT_EQ(first.compute_units, 110u);
  EXPECT_EQ(first.pci, PciAddress::from_text("0000:c1:00.0"));
  EXPECT_EQ(first.numa_node, NumaId{1});
  EXPECT_EQ(first.cpus, CpuSet::from_list("16-31"));
  EXPECT_EQ(first.hive, 0u);
  EXPECT_EQ(first.basis, Basis::file);
  EXPECT_EQ(topology.gpus[1].name, "gfx90a");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 0, 1).count, 4u);
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 0, 1).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).assumed_bandwidth_gb_per_s, 200.0);
  ASSERT_THAT(topology.numa_nodes, SizeIs(1));
  EXPECT_EQ(topology.numa_nodes[0].cpus, CpuSet::from_list("16-31"));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNcclXml, ArchitecturesAreNumbersOrNames) {
  const auto arch = [](const std::string& attributes) {
    return read_on_one_cpu(gpu("0000:01:00.0", attributes)).gpus[0].arch;
  };
  EXPECT_EQ(arch("gcn=\"906\""), "gfx906");
  EXPECT_EQ(arch("gcn=\"908\""), "gfx908");
  EXPECT_EQ(arch("gcn=\"910\""), "gfx90a");
  EXPECT_EQ(arch("gcn=\"940\""), "gfx942");
  EXPECT_EQ(arch("gcn=\"942\""), "gfx942");
  EXPECT_EQ(arch("gcn=\"1100\""), "gfx1100");
  EXPECT_EQ(arch("gcn=\"gfx942\""), "gfx942");
  EXPECT_EQ(arch("gcn=\"gfx90a:sramecc+:xnack-\""), "gfx90a");
  // Of NVIDIA's, sm is the compute capability and not a count.
  EXPECT_EQ(arch("sm=\"90\""), "sm_90");
  EXPECT_EQ(read_on_one_cpu(gpu("0000:01:00.0", "sm=\"90\"")).gpus[0].compute_units, std::nullopt);
  EXPECT_EQ(arch("dev=\"0\""), std::nullopt);
}

TEST(ReadNcclXml, GpusAreInTheOrderOfTheirDeviceNumbers) {
  const auto topology =
      read_on_one_cpu(gpu("0000:03:00.0", "dev=\"2\" rank=\"0\"") + gpu("0000:04:00.0", "rank=\"9\"") +
                      gpu("0000:02:00.0", "dev=\"0\" rank=\"1\"") + gpu("0000:01:00.0", "dev=\"-1\""));
  std::vector<int> buses;
  for (const Gpu& each : topology.gpus) buses.push_back(each.pci->bus);
  EXPECT_THAT(buses, ElementsAre(2, 3, 4, 1));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNcclXml, WhereTwoHaveOneDeviceNumberTheOrderIsTheFiles) {
  const auto topology = read_on_one_cpu(gpu("0000:03:00.0", "dev=\"1\"") + gpu("0000:02:00.0", "dev=\"1\""));
  EXPECT_EQ(topology.gpus[0].pci->bus, 3);
  EXPECT_THAT(topology.notes, ElementsAre(HasSubstr("node.xml:4: two GPUs have one dev number")));
}

TEST(ReadNcclXml, AddressesMayBeWrittenLongAndInCapitals) {
  const auto topology = read_on_one_cpu(gpu("00000000:0A:00.0", "gcn=\"908\"", xgmi("0000:0b:00.0", 1)) +
                                        gpu("0000:0B:00.0", "gcn=\"908\"", xgmi("0000:0a:00.0", 1)));
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::xgmi);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNcclXml, PairsThatAreNotJoinedShareASwitchANodeOrTheSystem) {
  const auto topology =
      read("<cpu numaid=\"0\">\n<pci busid=\"0000:10:00.0\" class=\"0x060400\">" + gpu("0000:11:00.0", "dev=\"0\"") +
           "<pci busid=\"0000:12:00.0\" class=\"0x060400\">" + gpu("0000:13:00.0", "dev=\"1\"") + "</pci></pci>\n" +
           gpu("0000:21:00.0", "dev=\"2\"") + "</cpu>\n<cpu numaid=\"1\">" + gpu("0000:31:00.0", "dev=\"3\"") +
           "</cpu>\n<cpu numaid=\"-1\">" + gpu("0000:41:00.0", "dev=\"4\"") + "</cpu>");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::switch_);
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::node);
  EXPECT_EQ(link(topology, 0, 3).locality, Locality::system);
  EXPECT_EQ(link(topology, 0, 4).locality, std::nullopt);
  EXPECT_EQ(topology.gpus[4].numa_node, std::nullopt);
  EXPECT_THAT(topology.numa_nodes, SizeIs(2));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNcclXml, WaysOverOtherGpusAreCountedInHops) {
  const auto topology =
      read_on_one_cpu(gpu("0000:01:00.0", "dev=\"0\" gcn=\"906\"", xgmi("0000:02:00.0", 1)) +
                      gpu("0000:02:00.0", "dev=\"1\" gcn=\"906\"", xgmi("0000:01:00.0", 1) + xgmi("0000:03:00.0", 1)) +
                      gpu("0000:03:00.0", "dev=\"2\" gcn=\"906\"", xgmi("0000:02:00.0", 1)) +
                      gpu("0000:04:00.0", "dev=\"3\" gcn=\"906\""));
  EXPECT_EQ(link(topology, 0, 2).hops, 2u);
  EXPECT_EQ(link(topology, 0, 2).count, std::nullopt);
  EXPECT_EQ(topology.gpus[2].hive, 0u);
  EXPECT_EQ(topology.gpus[3].hive, std::nullopt);
}

TEST(ReadNcclXml, LinksOfAmdsGpusAreXgmiWhateverTheElementIsCalled) {
  const std::string to_second = "<nvlink target=\"0000:02:00.0\" count=\"1\" tclass=\"0x038000\"/>";
  const std::string to_first = "<nvlink target=\"0000:01:00.0\" count=\"1\" tclass=\"0x038000\"/>";
  const auto amd =
      read_on_one_cpu(gpu("0000:01:00.0", "gcn=\"908\"", to_second) + gpu("0000:02:00.0", "gcn=\"908\"", to_first));
  EXPECT_EQ(link(amd, 0, 1).kind, LinkKind::xgmi);
  const auto nvidia =
      read_on_one_cpu(gpu("0000:01:00.0", "sm=\"70\"", to_second) + gpu("0000:02:00.0", "sm=\"70\"", to_first));
  EXPECT_EQ(link(nvidia, 0, 1).kind, LinkKind::nvlink);
}

// NCCL, too, takes all NVSwitches for one.
TEST(ReadNcclXml, GpusAtAnyNvSwitchAreDirectlyJoined) {
  const auto topology =
      read_on_one_cpu(gpu("0000:01:00.0", "sm=\"80\"", nvswitch("0000:c1:00.0", 2) + nvswitch("0000:c2:00.0", 2)) +
                      gpu("0000:02:00.0", "sm=\"80\"", nvswitch("0000:c1:00.0", 2) + nvswitch("0000:c2:00.0", 1)) +
                      gpu("0000:03:00.0", "sm=\"80\"", nvswitch("0000:c3:00.0", 2)) + gpu("0000:04:00.0", "sm=\"80\""));
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::nvlink);
  EXPECT_EQ(link(topology, 0, 1).count, 3u);
  EXPECT_EQ(link(topology, 1, 0).count, 3u);
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 0, 2).kind, LinkKind::nvlink);
  EXPECT_EQ(link(topology, 2, 0).count, 2u);
  EXPECT_EQ(link(topology, 0, 3).kind, LinkKind::pcie);
  EXPECT_THAT(topology.notes, IsEmpty());
}

// NVML does not tell the address of a switch inside some machines, or tells it to some GPUs only.
TEST(ReadNcclXml, ASwitchWithoutAnAddressIsTheOneOfTheOthers) {
  for (const char* nowhere : {"fffffff:ffff:ff", "", "unknown", "ffffffff:ff:ff.f"}) {
    const auto all = read_on_one_cpu(gpu("0000:01:00.0", "sm=\"90\"", nvswitch(nowhere, 18)) +
                                     gpu("0000:02:00.0", "sm=\"90\"", nvswitch(nowhere, 18)));
    EXPECT_EQ(link(all, 0, 1).count, 18u) << nowhere;
    EXPECT_THAT(all.notes, IsEmpty()) << nowhere;
    const auto one =
        read_on_one_cpu(gpu("0000:01:00.0", "sm=\"90\"", nvswitch("0000:c1:00.0", 9) + nvswitch("0000:c2:00.0", 9)) +
                        gpu("0000:02:00.0", "sm=\"90\"", nvswitch(nowhere, 18)));
    EXPECT_EQ(link(one, 0, 1).count, 18u) << nowhere;
    EXPECT_EQ(link(one, 1, 0).count, 18u) << nowhere;
    EXPECT_EQ(one.gpus[1].hive, 0u) << nowhere;
    EXPECT_THAT(one.notes,
                ElementsAre(HasSubstr("node.xml:4: links lead to an NVSwitch that has no address; it is taken "
                                      "for the one of the other GPUs: gpu 1")))
        << nowhere;
  }
}

TEST(ReadNcclXml, ALinkToASwitchThatIsThereTwiceCountsOnce) {
  const auto topology =
      read_on_one_cpu(gpu("0000:01:00.0", "sm=\"90\"", nvswitch("0000:c1:00.0", 4) + nvswitch("0000:C1:00.0", 4)) +
                      gpu("0000:02:00.0", "sm=\"90\"", nvswitch("0000:c1:00.0", 18)));
  EXPECT_EQ(link(topology, 0, 1).count, 4u);
  EXPECT_THAT(topology.notes, ElementsAre(HasSubstr("node.xml:3: a link to a switch is there twice")));
}

/// As clouds hand them out: devices, and no gpu in any of them.
std::string device(const std::string& busid, const std::string& attributes) {
  return fmt::format("<pci busid=\"{}\" {}/>\n", busid, attributes);
}

TEST(ReadNcclXml, WithoutGpuElementsTheGpusAreDevicesOfTheirClass) {
  const auto topology = read(
      "<cpu numaid=\"0\" affinity=\"f\">\n<pci busid=\"ffff:ff:01.0\" class=\"0x060400\">\n" +
      device("0003:00:00.0", "class=\"0x030200\" vendor=\"0x0000\"") + device("0103:00:00.0", "class=\"0x020700\"") +
      device("0004:00:00.0", "class=\"0x030000\"") + "</pci>\n</cpu>\n<cpu numaid=\"1\" affinity=\"f0\">\n" +
      device("0001:00:00.0", "class=\"0x030200\" vendor=\"0x10de\" device=\"0x20b0\"") +
      device("0005:00:00.0", "class=\"0x120000\" vendor=\"0x1002\" device=\"0x74a1\"") +
      device("0006:00:00.0", "class=\"0x038000\" vendor=\"0x1002\" device=\"0x7408\"") +
      device("0007:00:00.0", "class=\"0x030000\" vendor=\"0x1a03\"") + device("0008:00:00.0", "class=\"0x120000\"") +
      device("0009:00:00.0", "vendor=\"0x10de\"") + "</cpu>");
  std::vector<std::uint32_t> domains;
  for (const Gpu& each : topology.gpus) domains.push_back(each.pci->domain);
  EXPECT_THAT(domains, ElementsAre(3u, 4u, 1u, 5u, 6u));
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{0});
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("0-3"));
  EXPECT_EQ(topology.gpus[2].name, "NVIDIA GPU 20b0");
  EXPECT_EQ(topology.gpus[4].name, "AMD Instinct MI250X");
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 1).locality, Locality::switch_);
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::system);
  EXPECT_EQ(topology.gpus[0].hive, std::nullopt);
  EXPECT_THAT(topology.notes,
              ElementsAre(HasSubstr("node.xml:4: there is no gpu in it: PCI devices of a GPU's class are "
                                    "taken for GPUs, and of links between them it tells nothing")));
}

// Some clouds do write gpu elements, but none of the links.
TEST(ReadNcclXml, AFileByHandThatTellsOfNoLinksIsNoted) {
  const auto notes = [](const std::string& attributes, const std::string& first, const std::string& second) {
    const auto in_device = [&](const std::string& busid, const std::string& gpu_element) {
      return fmt::format("<pci busid=\"{}\" class=\"0x030200\" {}>{}</pci>\n", busid, attributes, gpu_element);
    };
    return read_on_one_cpu(in_device("0000:01:00.0", first) + in_device("0000:02:00.0", second)).notes;
  };
  const std::string bare[] = {"<gpu dev=\"0\" sm=\"90\"/>", "<gpu dev=\"1\" sm=\"90\"/>"};
  EXPECT_THAT(notes("", bare[0], bare[1]),
              ElementsAre("node.xml:3: of links between GPUs the file tells nothing; NVLink may join them"));
  EXPECT_THAT(notes("vendor=\"0x10de\" device=\"0x2330\"", bare[0], bare[1]), IsEmpty());
  EXPECT_THAT(notes("", "<gpu dev=\"0\" gcn=\"906\"/>", "<gpu dev=\"1\" gcn=\"906\"/>"), IsEmpty());
}

TEST(ReadNcclXml, WhereThereAreGpuElementsNoOtherDeviceIsAGpu) {
  const auto topology = read_on_one_cpu(gpu("0000:01:00.0", "dev=\"0\"") +
                                        device("0000:02:00.0", "class=\"0x030200\" vendor=\"0x10de\""));
  EXPECT_THAT(topology.gpus, SizeIs(1));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNcclXml, PartitionsOfOneGpuAreOnePackage) {
  const auto topology = read_on_one_cpu(
      gpu("0000:0c:00.0", "dev=\"0\" gcn=\"gfx942\"", xgmi("0000:0c:00.1", 1) + xgmi("0000:15:00.0", 1)) +
      gpu("0000:0c:00.1", "dev=\"1\" gcn=\"gfx942\"", xgmi("0000:0c:00.0", 1) + xgmi("0000:15:00.0", 1)) +
      gpu("0000:15:00.0", "dev=\"2\" gcn=\"gfx942\"", xgmi("0000:0c:00.0", 1) + xgmi("0000:0c:00.1", 1)));
  EXPECT_EQ(topology.gpus[1].pci, PciAddress::from_text("0000:0c:00.0"));
  EXPECT_EQ(topology.gpus[0].partition, 0u);
  EXPECT_EQ(topology.gpus[1].partition, 1u);
  EXPECT_EQ(topology.gpus[2].partition, std::nullopt);
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::package);
  EXPECT_EQ(link(topology, 0, 1).hops, 1u);
  EXPECT_EQ(link(topology, 1, 2).kind, LinkKind::xgmi);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNcclXml, SeveralGpusInOneDeviceAreItsPartitions) {
  const auto part = [](int number) {
    return fmt::format("<gpu dev=\"0\" sm=\"107\" mlopart=\"{}\">{}</gpu>", number, nvswitch("fffffff:ff:ff.0", 36));
  };
  const auto topology =
      read_on_one_cpu("<pci busid=\"0000:01:00.0\" class=\"0x030200\">\n" + part(1) + part(0) + "</pci>");
  ASSERT_THAT(topology.gpus, SizeIs(2));
  EXPECT_EQ(topology.gpus[0].partition, 0u);
  EXPECT_EQ(topology.gpus[1].partition, 1u);
  EXPECT_EQ(link(topology, 0, 1).kind, LinkKind::package);
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNcclXml, CpusMayBeAListWrittenByHand) {
  const auto topology = read("<cpu numaid=\"0\" affinity=\"0-3,8\">" + gpu("0000:01:00.0", "dev=\"0\"") + "</cpu>");
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("0-3,8"));
}

TEST(ReadNcclXml, WhatItDoesNotKnowIsPassedOver) {
  const auto topology = read(
      "<news/><cpu numaid=\"0\" host_hash=\"0x1\"><pci busid=\"0000:05:00.0\" class=\"0x020000\"><nic><net name=\"a\" "
      "dev=\"0\"/></nic></pci>\n" +
      gpu("0000:01:00.0", "dev=\"0\" sm=\"90\" later=\"x\"",
          "<c2c bw=\"1\"/><nvlink target=\"0004:04:00.0\" count=\"2\" tclass=\"0x068001\"/>") +
      "<nic><net name=\"b\" dev=\"1\"/></nic></cpu>");
  EXPECT_THAT(topology.gpus, SizeIs(1));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadNcclXml, OfSeveralHostsTheFirstIsRead) {
  const auto topology =
      read("<cpu host_hash=\"0xa\" numaid=\"0\">" + gpu("0000:01:00.0", "dev=\"0\"") +
           "</cpu>\n<cpu host_hash=\"0xb\" numaid=\"0\">" + gpu("0000:01:00.0", "dev=\"0\"") + "</cpu>");
  EXPECT_THAT(topology.gpus, SizeIs(1));
  EXPECT_THAT(topology.notes, ElementsAre(HasSubstr("node.xml:4: a second host")));
}

TEST(ReadNcclXml, OddLinksAreNotedAndTheRestIsRead) {
  const auto notes = [](const std::string& first, const std::string& second) {
    return read_on_one_cpu(gpu("0000:01:00.0", "gcn=\"908\"", first) + gpu("0000:02:00.0", "gcn=\"908\"", second))
        .notes;
  };
  const std::string there = xgmi("0000:02:00.0", 1);
  const std::string back = xgmi("0000:01:00.0", 1);
  EXPECT_THAT(notes(there, back), IsEmpty());
  EXPECT_THAT(notes(there, ""), ElementsAre(HasSubstr("node.xml:3: a link is there in one direction only: gpu 0")));
  EXPECT_THAT(notes(there, xgmi("0000:01:00.0", 2)),
              ElementsAre(HasSubstr("node.xml:3: a link differs from the one back: gpu 0")));
  EXPECT_THAT(notes(there + there, back), ElementsAre(HasSubstr("node.xml:3: a link is there twice")));
  EXPECT_THAT(notes(there + xgmi("0000:77:00.0", 1), back),
              ElementsAre(HasSubstr("node.xml:3: a link leads to what is no GPU of this file: 0000:77:00.0")));
  EXPECT_THAT(notes(there, back + xgmi("0000:02:00.0", 1)),
              ElementsAre(HasSubstr("node.xml:4: a link leads from a GPU to itself")));
  EXPECT_THAT(notes(there + "<xgmi/>", back), ElementsAre(HasSubstr("what is no GPU of this file")));
  const auto directions =
      read_on_one_cpu(gpu("0000:01:00.0", "gcn=\"908\"", there) + gpu("0000:02:00.0", "gcn=\"908\""));
  EXPECT_EQ(link(directions, 0, 1).kind, LinkKind::xgmi);
  EXPECT_EQ(link(directions, 1, 0).kind, LinkKind::pcie);
}

TEST(ReadNcclXml, ALinkWithoutATargetIsNoneToAGpuWithoutAnAddress) {
  const auto topology = read_on_one_cpu("<gpu dev=\"0\"/><gpu dev=\"1\"><xgmi count=\"1\"/></gpu>");
  EXPECT_EQ(link(topology, 1, 0).kind, LinkKind::pcie);
  EXPECT_THAT(topology.notes, ElementsAre(HasSubstr("a link leads to what is no GPU of this file")));
}

TEST(ReadNcclXml, TwoGpusOfOneAddressStayTwo) {
  const auto topology =
      read_on_one_cpu(gpu("0000:01:00.0", "dev=\"0\" gcn=\"908\"") + gpu("0000:01:00.0", "dev=\"1\" gcn=\"908\"") +
                      gpu("0000:02:00.0", "dev=\"2\" gcn=\"908\"", xgmi("0000:01:00.0", 1)));
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(link(topology, 2, 0).kind, LinkKind::xgmi);
  EXPECT_EQ(link(topology, 2, 1).kind, LinkKind::pcie);
  EXPECT_THAT(topology.notes, ::testing::Contains(HasSubstr("node.xml:4: two GPUs have one address")));
}

TEST(ReadNcclXml, NumbersThatAreNoneAreUnknownAndNoted) {
  const auto topology = read("<cpu numaid=\"99999999999999999999\" affinity=\"xyz\">\n" +
                             gpu("nowhere", "dev=\"x\" sm=\"4294967296\" gcn=\"908\"") + "</cpu>");
  EXPECT_EQ(topology.gpus[0].numa_node, std::nullopt);
  EXPECT_EQ(topology.gpus[0].cpus, std::nullopt);
  EXPECT_EQ(topology.gpus[0].pci, std::nullopt);
  EXPECT_EQ(topology.gpus[0].compute_units, std::nullopt);
  EXPECT_THAT(topology.notes,
              ElementsAre(HasSubstr("node.xml:2: affinity is no mask"), HasSubstr("node.xml:2: numaid is no number"),
                          HasSubstr("node.xml:3: busid is no PCI address: nowhere"),
                          HasSubstr("node.xml:3: dev is no number"), HasSubstr("node.xml:3: sm is no number")));
}

TEST(ReadNcclXml, TooFewAndTooManyGpusAreErrors) {
  const auto error_of = [](const std::string& devices) -> std::string {
    try {
      read_on_one_cpu(devices);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of(""), "node.xml:1: there is no gpu in it, and no pci of a GPU's class");
  EXPECT_EQ(error_of("<pci busid=\"0000:01:00.0\" link_speed=\"16 GT/s\"/>"),
            "node.xml:1: there is no gpu in it, and no pci of a GPU's class");
  std::string many;
  for (int number = 0; number < 2049; ++number) many += "<gpu/>\n";
  EXPECT_EQ(error_of(many), "node.xml:2051: more than 2048 GPUs");
  std::string many_by_class;
  for (int number = 0; number < 3000; ++number) many_by_class += "<pci class=\"0x030200\"/>\n";
  EXPECT_EQ(error_of(many_by_class), "node.xml:2051: more than 2048 GPUs");
}

TEST(ReadNcclXml, AThousandGpusAreRead) {
  std::string devices;
  const auto address = [](int number) { return fmt::format("{:04x}:{:02x}:00.0", number / 256, number % 256); };
  for (int number = 0; number < 1000; ++number) {
    devices += gpu(address(number), fmt::format("dev=\"{}\" gcn=\"gfx942\"", number),
                   xgmi(address((number + 1) % 1000), 1) + xgmi(address((number + 999) % 1000), 1));
  }
  const auto topology = read_on_one_cpu(devices);
  EXPECT_EQ(link(topology, 0, 500).hops, 500u);
  EXPECT_THAT(topology.notes, IsEmpty());
}

}  // namespace
}  // namespace skua
