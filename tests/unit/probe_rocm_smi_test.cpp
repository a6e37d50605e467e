// The management library: what it says, and what happens when it misbehaves.
#include <probe/rocm_smi.hpp>

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <probe/kfd.hpp>
#include <probe/merge.hpp>
#include "support/kfd_fixture.hpp"

namespace skua {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A machine with a graphics card, and the stub in place of the library.
class Stub : public ::testing::Test {
 protected:
  Stub() {
    sys.write("devices/card0/device/vendor", "0x1002\n");
    sys.link("devices/card0", "class/drm/card0");
    options.sys = sys.path();
    options.libraries = {"libthat_is_not_there.so", SKUA_ROCM_SMI_STUB};
    options.maps = sys.write("maps", "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libc.so.6\n");
    behave("");
  }
  ~Stub() override { unsetenv("SMI_STUB"); }

  static void behave(const char* how) { setenv("SMI_STUB", how, 1); }

  test::TemporaryFolder sys;
  RocmSmiOptions options;
};

TEST_F(Stub, IsAskedForDevicesAndLinks) {
  const Reading reading = probe_rocm_smi(options);
  ASSERT_THAT(reading.gpus, SizeIs(2));
  EXPECT_EQ(reading.gpus[0].pci->to_text(), "0000:03:00.0");
  EXPECT_EQ(reading.gpus[1].pci->to_text(), "0001:43:00.0");
  EXPECT_EQ(reading.gpus[1].numa_node, NumaId{1});
  EXPECT_EQ(reading.gpus[0].name, "stub GPU");
  EXPECT_EQ(reading.gpus[0].hive, 0u);
  EXPECT_FALSE(reading.gpus[0].memory_bytes);
  ASSERT_THAT(reading.links, SizeIs(2));
  EXPECT_EQ(reading.links[0].count, 4u);
  EXPECT_EQ(reading.links[0].bandwidth_gb_per_s, 200.0);
  EXPECT_THAT(reading.notes, IsEmpty());
}

TEST_F(Stub, AHangIsCutOffAtTheDeadlineAndNoted) {
  behave("hang");
  const auto start = std::chrono::steady_clock::now();
  const Reading reading = probe_rocm_smi(options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_THAT(reading.gpus, IsEmpty());
  EXPECT_THAT(reading.notes, ElementsAre(AllOf(HasSubstr("no answer within 1500 ms while asking it to start"),
                                               HasSubstr("/sys is used instead"))));
}

TEST_F(Stub, TheGraphIsCompleteThoughTheLibraryHangs) {
  behave("hang");
  options.deadline = milliseconds(50);
  const auto kfd = probe_kfd(test::KfdFixture::from_file("chain").nodes());
  const Topology topology = merge({kfd, probe_rocm_smi(options)}).topology;
  EXPECT_THAT(topology.gpus, SizeIs(4));
  EXPECT_THAT(topology.links, SizeIs(12));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("no answer")));
}

TEST_F(Stub, BusyIsNoted) {
  behave("busy");
  const Reading reading = probe_rocm_smi(options);
  EXPECT_THAT(reading.gpus, IsEmpty());
  EXPECT_THAT(reading.notes, ElementsAre(HasSubstr("failed to start with status 16")));
}

TEST_F(Stub, AnAbortLeavesWhatWasSaidBefore) {
  behave("abort");
  const Reading reading = probe_rocm_smi(options);
  EXPECT_THAT(reading.gpus, SizeIs(2));
  EXPECT_THAT(reading.links, IsEmpty());
  EXPECT_THAT(reading.notes, ElementsAre(HasSubstr("ended by Aborted while asking for the link from 0 to 1")));
}

TEST_F(Stub, ASegmentationFaultIsANote) {
  behave("segfault");
  EXPECT_THAT(probe_rocm_smi(options).notes,
              ElementsAre(HasSubstr("Segmentation fault while asking about device 0, which is left out"),
                          HasSubstr("Segmentation fault while asking about device 1, which is left out")));
}

TEST_F(Stub, ADeviceOnWhichTheLibraryDiesTakesOnlyItselfDown) {
  behave("segfault of device 0");
  const Reading reading = probe_rocm_smi(options);
  ASSERT_THAT(reading.gpus, SizeIs(1));
  EXPECT_EQ(reading.gpus[0].pci->to_text(), "0001:43:00.0");
  EXPECT_THAT(reading.links, IsEmpty());
  EXPECT_THAT(reading.notes,
              ElementsAre("rocm_smi: ended by Segmentation fault while asking about device 0, which is left out"));
}

TEST_F(Stub, ADeviceThatTellsNoAddressIsLeftOut) {
  behave("no address of device 0");
  const Reading reading = probe_rocm_smi(options);
  ASSERT_THAT(reading.gpus, SizeIs(1));
  EXPECT_EQ(reading.gpus[0].pci->to_text(), "0001:43:00.0");
  EXPECT_THAT(reading.links, IsEmpty());
  EXPECT_THAT(reading.notes, ElementsAre("rocm_smi: device 0 tells no address and is left out"));
}

TEST_F(Stub, FunctionsOfAPartitionableGpuAreItsPartitions) {
  behave("partitions");
  const Reading reading = probe_rocm_smi(options);
  ASSERT_THAT(reading.gpus, SizeIs(2));
  EXPECT_EQ(reading.gpus[1].pci->to_text(), "0000:c1:00.0");
  EXPECT_EQ(reading.gpus[0].partition, 0u);
  EXPECT_EQ(reading.gpus[1].partition, 1u);
}

TEST(RocmSmiNames, TheRocmThatIsNamedComesFirst) {
  unsetenv("ROCM_PATH");
  const std::vector<std::string> names = rocm_smi_names();
  setenv("ROCM_PATH", "/opt/rocm-6.4.1", 1);
  std::vector<std::string> expected = names;
  expected.insert(expected.begin(), "/opt/rocm-6.4.1/lib/librocm_smi64.so");
  EXPECT_EQ(rocm_smi_names(), expected);
  setenv("ROCM_PATH", "", 1);
  EXPECT_EQ(rocm_smi_names(), names);
  unsetenv("ROCM_PATH");
}

TEST_F(Stub, EightProbesAtOnceAllAnswer) {
  std::vector<std::thread> threads;
  std::vector<std::size_t> counts(8);
  for (std::size_t& count : counts) {
    threads.emplace_back([&] { count = probe_rocm_smi(options).gpus.size(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(counts, ::testing::Each(2u));
}

TEST_F(Stub, ALibraryThatSomebodyLoadedForAllIsNotTheOneThatIsCalled) {
  void* other = dlopen(SKUA_ROCM_SMI_REFUSING_STUB, RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(other, nullptr) << dlerror();
  EXPECT_THAT(probe_rocm_smi(options).gpus, SizeIs(2));
  dlclose(other);
}

TEST_F(Stub, IsNotLoadedBesideAnotherManagementLibrary) {
  options.maps = sys.write("maps", "7f00-7f01 r-xp 00000000 08:01 1 /opt/rocm/lib/libamd_smi.so.26\n");
  const Reading reading = probe_rocm_smi(options);
  EXPECT_THAT(reading.gpus, IsEmpty());
  EXPECT_THAT(reading.notes, ElementsAre(HasSubstr("has loaded libamd_smi itself")));
}

TEST_F(Stub, IsNotAskedOnAMachineWithoutGraphicsDevicesOfAmds) {
  behave("abort");
  auto elsewhere = options;
  elsewhere.sys = sys.path() / "devices";
  for (int turn = 0; turn < 2; ++turn) {
    const Reading reading = probe_rocm_smi(elsewhere);
    EXPECT_THAT(reading.gpus, IsEmpty());
    EXPECT_THAT(reading.notes, IsEmpty());
    sys.write("devices/card0/device/vendor", "0x10de\n");
    elsewhere = options;
  }
}

TEST_F(Stub, WithoutItsProgramThereIsANoteAndTheRestIsReadFromSys) {
  options.program = "/no/such/probe";
  const auto kfd = probe_kfd(test::KfdFixture::from_file("chain").nodes());
  const Topology topology = merge({kfd, probe_rocm_smi(options)}).topology;
  EXPECT_THAT(topology.gpus, SizeIs(4));
  EXPECT_THAT(topology.notes, Contains(AllOf(HasSubstr("rocm_smi: not asked, because /no/such/probe does not start"),
                                             HasSubstr("/sys is used alone"))));
}

TEST_F(Stub, AProgramOfAnotherSkuaIsNotBelieved) {
  const auto write_program = [&](const std::string& text) {
    options.program = sys.write("probe", "#!/bin/sh\n" + text);
    std::filesystem::permissions(options.program, std::filesystem::perms::owner_all);
  };
  write_program("printf 'skua-probe 3\\ngpu 768 0 0 ? ? ? x\\nend\\n' >&3\n");
  Reading reading = probe_rocm_smi(options);
  EXPECT_THAT(reading.gpus, IsEmpty());
  EXPECT_THAT(reading.notes, ElementsAre(HasSubstr("another skua's; /sys is used alone")));
  write_program("exit 127\n");
  EXPECT_THAT(probe_rocm_smi(options).notes, ElementsAre(HasSubstr("does not run here")));
  write_program("printf 'skua-probe 2\\ngpu 768 0 0 ? ? ? x\\nend\\n' >&3\n");
  reading = probe_rocm_smi(options);
  EXPECT_THAT(reading.gpus, SizeIs(1));
  EXPECT_THAT(reading.notes, IsEmpty());
}

TEST_F(Stub, ForksNothing) {
  static std::atomic<int> forks{0};
  ASSERT_EQ(pthread_atfork([] { ++forks; }, nullptr, nullptr), 0);
  EXPECT_THAT(probe_rocm_smi(options).gpus, SizeIs(2));
  EXPECT_EQ(forks, 0);
}

TEST_F(Stub, IsNotStartedWhereItIsKnownToAbort) {
  sys.write("class/drm/card1/vendor", "0x1002\n");
  EXPECT_THAT(probe_rocm_smi(options).notes, ElementsAre(HasSubstr("card1 is not a link")));
}

TEST_F(Stub, ANodeWithoutLinksFolderKeepsItFromStarting) {
  sys.write("class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 8\n");
  EXPECT_THAT(probe_rocm_smi(options).notes, ElementsAre(HasSubstr("KFD node 0 has no io_links")));
}

TEST_F(Stub, IsNotAskedForLinksWhereGpusAreJoinedOverPcie) {
  const std::string nodes = "class/kfd/kfd/topology/nodes/";
  for (const char* node : {"0", "1"}) {
    sys.write(nodes + node + "/properties", "simd_count 4\n");
    sys.write(nodes + node + "/io_links/0/properties",
              std::string("type 2\nnode_to ") + (*node == '0' ? "1" : "0") + "\n");
  }
  behave("abort");
  const Reading reading = probe_rocm_smi(options);
  EXPECT_THAT(reading.gpus, SizeIs(2));
  EXPECT_THAT(reading.links, IsEmpty());
  EXPECT_THAT(reading.notes, ElementsAre(HasSubstr("KFD nodes 1 and 0 are joined over PCIe")));
}

TEST(RocmSmi, WithoutTheLibraryThereIsNothing) {
  RocmSmiOptions options;
  options.libraries = {"libthat_is_not_there.so"};
  const test::TemporaryFolder sys;
  sys.write("devices/card0/device/vendor", "0x1002\n");
  sys.link("devices/card0", "class/drm/card0");
  options.sys = sys.path();
  options.maps = sys.path() / "none";
  const Reading reading = probe_rocm_smi(options);
  EXPECT_THAT(reading.gpus, IsEmpty());
  EXPECT_THAT(reading.notes, IsEmpty());
}

std::string four_gpus() {
  std::string output;
  for (int gpu = 1; gpu <= 4; ++gpu) output += "gpu " + std::to_string(gpu * 256) + " 0 0 ? ? ? \n";
  return output;
}

TEST(RocmSmiOutput, HopsAreCountedFromWeightsAndNotFromTheHopField) {
  std::string output = four_gpus();
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from == to) continue;
      output += "link " + std::to_string(from) + ' ' + std::to_string(to) + " 2 " +
                std::to_string(15 * std::abs(from - to)) + " 1 0 0\n";
    }
  }
  const Topology topology = merge({rocm_smi_reading_from(output)}).topology;
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{1})->hops, 1u);
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{2})->hops, 2u);
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{3})->hops, 3u);
  EXPECT_THAT(topology.nearest(GpuId{0}), ElementsAre(GpuId{1}, GpuId{2}, GpuId{3}));
  EXPECT_THAT(topology.notes, Contains(HasSubstr("hops are counted from the weights")));
}

TEST(RocmSmiOutput, MarkersAreUnknownBandwidth) {
  const Topology topology =
      merge({rocm_smi_reading_from(four_gpus() + "link 0 1 2 15 1 51000 51000\n"
                                                 "link 0 2 2 15 1 0 0\n"
                                                 "link 0 3 2 15 1 4294967295 4294967295\n"
                                                 "link 1 2 2 15 1 18446744073709551615 18446744073709551615\n"
                                                 "link 1 3 2 15 1 ? ?\n"
                                                 "link 2 3 2 15 1 51000 51000\n")})
          .topology;
  const auto known = [&](std::uint32_t from, std::uint32_t to) {
    return topology.link(GpuId{from}, GpuId{to})->bandwidth_gb_per_s;
  };
  EXPECT_EQ(known(0, 1), 51.0);
  EXPECT_EQ(known(2, 3), 51.0);
  for (const auto& [from, to] : {std::pair(0, 2), std::pair(0, 3), std::pair(1, 2), std::pair(1, 3)}) {
    EXPECT_FALSE(known(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)));
  }
}

TEST(RocmSmiOutput, AnImplausibleNumaNodeIsUnknown) {
  EXPECT_FALSE(rocm_smi_reading_from("gpu 256 4294967295 0 ? ? ? x\n").gpus[0].numa_node);
  EXPECT_FALSE(rocm_smi_reading_from("gpu 256 3735928559 0 ? ? ? x\n").gpus[0].numa_node);
}

TEST(RocmSmiOutput, LinksKeepTheLibrarysNumbersThoughADeviceIsLeftOut) {
  const Reading reading = rocm_smi_reading_from(
      "without\ngpu 256 0 0 ? ? ? a\ngpu ? 0 0 ? ? ? b\ngpu 512 0 0 ? ? ? c\nlink 1 3 2 15 1 0 0\nlink 0 1 2 15 1 0 0\n"
      "link 2 3 2 15 1 0 0\n");
  ASSERT_THAT(reading.gpus, SizeIs(2));
  ASSERT_THAT(reading.links, SizeIs(1));
  EXPECT_EQ(reading.links[0].from, GpuId{0});
  EXPECT_EQ(reading.links[0].to, GpuId{1});
}

TEST(RocmSmiOutput, WeightsThatAreInNoListStillOrder) {
  const Topology topology = merge({rocm_smi_reading_from(four_gpus() + "link 0 1 2 51 1 0 0\nlink 0 2 2 17 1 0 0\n"
                                                                       "link 0 3 2 34 1 0 0\n")})
                                .topology;
  EXPECT_THAT(topology.nearest(GpuId{0}), ElementsAre(GpuId{2}, GpuId{3}, GpuId{1}));
}

TEST(RocmSmiOutput, LinesCutShortDoNoHarm) {
  const std::string whole = four_gpus() + "link 0 1 2 15 1 50000 50000\nend\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    EXPECT_LE(rocm_smi_reading_from(whole.substr(0, length)).gpus.size(), 4u);
  }
  EXPECT_THAT(rocm_smi_reading_from("link 0 9 2 15 1 1 1\nlink a b\ngpu\n").links, IsEmpty());
}

}  // namespace
}  // namespace skua
