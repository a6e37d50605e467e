#include <gtest/gtest.h>

#include <skua/backends.hpp>
#include <skua/input.hpp>

#include <host/launch_ring.hpp>
#include "support/asynchronous_device.hpp"
#include "support/devices.hpp"

namespace skua {
namespace {

std::string complaint_about(const std::string& spec) {
  try {
    open_devices(spec, Topology{}, test::steady_clock());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Devices, AreRefusedWithTheTextAtFault) {
  for (const char* wrong :
       {"host:0", "host:x", "host:-1", "host:", "host:1e9", "magic", "gpux:0", ";", "host:1;", ""}) {
    EXPECT_NE(complaint_about(wrong), "") << wrong;
    EXPECT_NE(complaint_about(wrong).find(wrong), std::string::npos) << complaint_about(wrong);
  }
}

TEST(Devices, AreAsManyAsAskedForEvenBeyondTheCores) {
  EXPECT_EQ(open_devices("host:37", Topology{}, test::steady_clock()).size(), 37u);
  EXPECT_EQ(open_devices("host:2;host:3", Topology{}, test::steady_clock()).size(), 5u);
}

Topology two_nodes() {
  Topology topology;
  topology.numa_nodes = {{NumaId{0}, *CpuSet::from_list("0-3,8-11"), {}, {}},
                         {NumaId{1}, *CpuSet::from_list("4-7,12-15"), {}, {}}};
  topology.host.allowed = *CpuSet::from_list("0-15");
  return topology;
}

TEST(HostDevices, EachLieOnOneNumaNodeWhenThatIsPossible) {
  const Devices devices = open_devices("host:4", two_nodes(), test::steady_clock());
  EXPECT_EQ(devices[0]->info().cpus->to_list(), "0-3");
  EXPECT_EQ(devices[1]->info().cpus->to_list(), "8-11");
  EXPECT_EQ(devices[0]->info().numa_node, NumaId{0});
  EXPECT_EQ(devices[3]->info().numa_node, NumaId{1});
}

TEST(HostDevices, AreOneANodeWhenNoNumberIsGiven) {
  EXPECT_EQ(open_devices("host", two_nodes(), test::steady_clock()).size(), 2u);
}

TEST(HostDevices, HaveNoMoreCoresThanTheQuotaGrants) {
  Topology topology = two_nodes();
  topology.host.quota_cpus = 2.5;
  const Devices devices = open_devices("host:2", topology, test::steady_clock());
  EXPECT_EQ(devices[0]->info().rate_guess + devices[1]->info().rate_guess, 3);
}

TEST(HostDevices, LeaveCoresToTheThreadsThatDriveOtherDevices) {
  OpenOptions options;
  options.driving_threads = 7;
  const Devices eight = open_devices("host:8", two_nodes(), test::steady_clock(), options);
  for (const auto& device : eight) EXPECT_EQ(device->info().can.slots_max, 1u);
  EXPECT_EQ(eight[7]->info().numa_node, NumaId{1}) << "cores of all nodes are left";
  const Devices many = open_devices("host:12", two_nodes(), test::steady_clock(), options);
  EXPECT_EQ(many[0]->info().cpus->size(), 1u) << "where there are not enough for both, they share";
}

TEST(HostDevices, ShareTheCoresAlsoWhenNamedInSeveralParts) {
  const Devices devices = open_devices("host:1;host:3", two_nodes(), test::steady_clock());
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[0]->info().cpus->to_list(), "0-3");
  EXPECT_EQ(devices[3]->info().cpus->to_list(), "12-15");
  EXPECT_EQ(devices[3]->info().name, "host:3");
}

TEST(Backends, AreAskedOnceForAllPartsThatNameThem) {
  register_backend("listed", [](const std::string& argument, const Topology&, const Clock&, const OpenOptions&) {
    Devices devices;
    devices.push_back(std::make_unique<test::AsynchronousDevice>("listed:" + argument));
    return devices;
  });
  const Devices devices = open_devices("listed:0;host:1;listed:2/7", Topology{}, test::steady_clock());
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0]->info().name, "listed:0,2/7");
  EXPECT_NE(complaint_about("host;host:1").find("all of host"), std::string::npos);
}

TEST(Backends, AreToldHowToOpenTheirDevices) {
  std::vector<bool> told;
  register_backend("told", [&](const std::string&, const Topology&, const Clock&, const OpenOptions& options) {
    told.push_back(options.peers);
    Devices devices;
    devices.push_back(std::make_unique<test::AsynchronousDevice>("told"));
    return devices;
  });
  OpenOptions without_peers;
  without_peers.peers = false;
  open_devices("told", Topology{}, test::steady_clock());
  open_devices("host:1;told", Topology{}, test::steady_clock(), without_peers);
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
}

TEST(Backends, CanBeAddedFromOutsideButNotTwice) {
  const OpenBackend open = [](const std::string& argument, const Topology&, const Clock&, const OpenOptions&) {
    Devices devices;
    devices.push_back(std::make_unique<test::AsynchronousDevice>("mine:" + argument));
    return devices;
  };
  register_backend("mine", open);
  EXPECT_EQ(open_devices("mine:7", Topology{}, test::steady_clock())[0]->info().name, "mine:7");
  EXPECT_THROW(register_backend("mine", open), InputError);
  EXPECT_THROW(register_backend("auto", open), InputError);
}

TEST(LaunchRing, IsFirstInFirstOutAcrossItsEnd) {
  LaunchRing<int, 2> ring;
  ring.push(1);
  ring.push(2);
  EXPECT_TRUE(ring.full());
  EXPECT_EQ(ring.pop(), 1);
  ring.push(3);
  EXPECT_EQ(ring.oldest(), 2);
  EXPECT_EQ(ring.pop(), 2);
  EXPECT_EQ(ring.pop(), 3);
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace skua
