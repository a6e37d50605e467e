// Places of PCI devices in a made-up /sys.
#include <probe/pci_locality.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <graph/graph.hpp>
#include "support/temporary_folder.hpp"

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// 96 CPUs in two nodes, and devices at places of one's choice.
class FakeSys : public ::testing::Test {
 protected:
  FakeSys() {
    folder_.write("devices/system/cpu/online", "0-95\n");
    folder_.write("devices/system/node/node0/cpulist", "0-47\n");
    folder_.write("devices/system/node/node1/cpulist", "48-95\n");
  }

  /// `place` is the path below devices/, whose last part is the address.
  PciAddress device(const std::string& place, const char* numa_node, const char* cpus) {
    const std::string address = std::filesystem::path(place).filename().string();
    folder_.write("devices/" + place + "/vendor", "0x1002\n");
    if (numa_node != nullptr) folder_.write("devices/" + place + "/numa_node", numa_node);
    if (cpus != nullptr) folder_.write("devices/" + place + "/local_cpulist", cpus);
    folder_.link("devices/" + place, "bus/pci/devices/" + address);
    return *PciAddress::from_text(address);
  }

  Topology located(const std::vector<PciAddress>& addresses) {
    Topology topology;
    for (const PciAddress& address : addresses) {
      topology.gpus.emplace_back();
      topology.gpus.back().pci = address;
    }
    complete_links(topology, {}, LinkKind::pcie, Basis::hwloc);
    locate_gpus(topology, folder_.path());
    return topology;
  }

  test::TemporaryFolder folder_;
};

TEST_F(FakeSys, WithoutANodeTheCpuListTellsThePlace) {
  const auto topology = located({device("pci0000:c0/0000:c1:00.0", "-1\n", "48-95\n")});
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("48-95"));
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{1});
  EXPECT_THAT(topology.notes, SizeIs(0));
}

TEST_F(FakeSys, AListOfAllCpusTellsNothingAndTheParentBridgeDoes) {
  folder_.write("devices/pci0000:c0/0000:c0:01.0/numa_node", "1\n");
  const auto topology = located({device("pci0000:c0/0000:c0:01.0/0000:c1:00.0", "-1\n", "0-95\n")});
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{1});
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("48-95"));
}

TEST_F(FakeSys, WhereNothingTellsTheNodeItIsUnknownWithOneNoteEach) {
  folder_.write("devices/pci0000:c0/0000:c0:01.0/numa_node", "-1\n");
  const auto topology = located({device("pci0000:c0/0000:c0:01.0/0000:c1:00.0", "-1\n", "0-95\n"),
                                 device("pci0000:d0/0000:d1:00.0", nullptr, nullptr)});
  for (const Gpu& gpu : topology.gpus) {
    EXPECT_FALSE(gpu.numa_node);
    EXPECT_FALSE(gpu.cpus);
  }
  EXPECT_THAT(topology.notes, SizeIs(2));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("0000:c1:00.0")));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("0000:d1:00.0")));
  EXPECT_THAT(to_text(topology), Not(HasSubstr("4294967295")));
  EXPECT_THAT(to_json(topology), Not(HasSubstr("4294967295")));
}

TEST_F(FakeSys, WhereThereIsOneNodeOnlyEveryDeviceIsNearIt) {
  std::filesystem::remove_all(folder_.path() / "devices/system/node/node1");
  const auto topology = located({device("pci0000:c0/0000:c1:00.0", "-1\n", "0-95\n")});
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{0});
  EXPECT_THAT(topology.notes, SizeIs(0));
}

TEST_F(FakeSys, AToldNodeIsTaken) {
  const auto topology = located({device("pci0000:c0/0000:c1:00.0", "0\n", "0-47\n")});
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{0});
  EXPECT_EQ(topology.gpus[0].cpus, CpuSet::from_list("0-47"));
}

TEST_F(FakeSys, AnUnsignedMinusOneIsUnknown) {
  const auto place = read_pci_place(folder_.path(), device("pci0000:c0/0000:c1:00.0", "4294967295\n", nullptr));
  EXPECT_FALSE(place.numa_node);
}

TEST_F(FakeSys, ADisagreementWithAnEarlierSourceIsNoted) {
  const PciAddress address = device("pci0000:c0/0000:c1:00.0", "0\n", "0-47\n");
  Topology topology;
  topology.gpus.resize(1);
  topology.gpus[0].pci = address;
  topology.gpus[0].numa_node = NumaId{1};
  topology.gpus[0].basis = Basis::kfd;
  locate_gpus(topology, folder_.path());
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{1});
  EXPECT_THAT(topology.notes, Contains(HasSubstr("kfd says NUMA node 1, /sys says 0; 1 is kept")));
}

TEST_F(FakeSys, PairsShareASwitchABridgeANodeOrTheSystem) {
  const auto topology =
      located({device("pci0000:c0/0000:c0:01.0/0000:c1:00.0", "0\n", nullptr),
               device("pci0000:c0/0000:c0:01.0/0000:c2:00.0", "0\n", nullptr),
               device("pci0000:c0/0000:c0:02.0/0000:c3:00.0", "0\n", nullptr),
               device("pci0000:d0/0000:d1:00.0", "0\n", nullptr), device("pci0000:e0/0000:e1:00.0", "1\n", nullptr)});
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{1})->locality, Locality::switch_);
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{2})->locality, Locality::bridge);
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{3})->locality, Locality::node);
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{4})->locality, Locality::system);
}

TEST_F(FakeSys, ANodeThatHasMemoryOnlyIsReplacedByTheNearestWithAllowedCpus) {
  folder_.write("devices/system/node/node2/cpulist", "\n");
  folder_.write("devices/system/node/node2/distance", "30 17 10\n");
  const PciAddress address = device("pci0000:c0/0000:c1:00.0", "2\n", "\n");
  Topology topology = located({address, address});
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{2});
  Topology within_node_0 = topology;
  leave_memory_only_nodes(topology, folder_.path());
  EXPECT_EQ(topology.gpus[1].numa_node, NumaId{1});
  EXPECT_EQ(topology.gpus[1].cpus, CpuSet::from_list("48-95"));
  EXPECT_THAT(topology.notes,
              ElementsAre("NUMA node 2 has memory only; node 1, the nearest with CPUs, stands in for it"));
  within_node_0.host.allowed = CpuSet::from_list("3-5");
  leave_memory_only_nodes(within_node_0, folder_.path());
  EXPECT_EQ(within_node_0.gpus[0].numa_node, NumaId{0});
}

TEST_F(FakeSys, WithoutDistancesOnlyASingleNodeWithCpusStandsIn) {
  folder_.write("devices/system/node/node2/cpulist", "\n");
  Topology topology = located({device("pci0000:c0/0000:c1:00.0", "2\n", "\n")});
  Topology within_node_1 = topology;
  leave_memory_only_nodes(topology, folder_.path());
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{2});
  EXPECT_FALSE(topology.gpus[0].cpus);
  EXPECT_THAT(topology.notes, ElementsAre(HasSubstr("is not known")));
  within_node_1.host.allowed = CpuSet::from_list("50");
  leave_memory_only_nodes(within_node_1, folder_.path());
  EXPECT_EQ(within_node_1.gpus[0].numa_node, NumaId{1});
}

TEST_F(FakeSys, ANodeWithCpusIsLeftAsItIsThoughNoneOfThemIsAllowed) {
  Topology topology = located({device("pci0000:c0/0000:c1:00.0", "1\n", "48-95\n")});
  topology.host.allowed = CpuSet::from_list("0-3");
  leave_memory_only_nodes(topology, folder_.path());
  EXPECT_EQ(topology.gpus[0].numa_node, NumaId{1});
  EXPECT_THAT(topology.notes, SizeIs(0));
}

TEST_F(FakeSys, ADeviceThatIsNotInTheTreeChangesNothing) {
  const auto topology = located({PciAddress{0, 1, 0, 0}});
  EXPECT_FALSE(topology.gpus[0].numa_node);
  EXPECT_THAT(topology.notes, SizeIs(0));
}

}  // namespace
}  // namespace skua
