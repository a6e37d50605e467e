// Discovery from a tree, from a file, and of this machine.
#include <skua/discovery.hpp>

#include <chrono>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

#include "support/kfd_fixture.hpp"

namespace skua {
namespace {

using test::KfdFixture;
using ::testing::HasSubstr;
using ::testing::SizeIs;

DiscoveryOptions from_tree(const std::filesystem::path& folder) {
  DiscoveryOptions options;
  options.sysfs = folder;
  return options;
}

DiscoveryOptions from_file(const std::filesystem::path& file) {
  DiscoveryOptions options;
  options.file = file;
  return options;
}

std::string error_of(const DiscoveryOptions& options) {
  try {
    discover(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Discovery, ReadsATreeInNodeOrderWhateverTheMasksSay) {
  setenv("ROCR_VISIBLE_DEVICES", "1", 1);
  setenv("HIP_VISIBLE_DEVICES", "0", 1);
  const Topology topology = discover(from_tree(KfdFixture::from_file("domains").folder().path()));
  unsetenv("ROCR_VISIBLE_DEVICES");
  unsetenv("HIP_VISIBLE_DEVICES");
  ASSERT_THAT(topology.gpus, SizeIs(5));
  EXPECT_EQ(topology.gpus[0].pci->bus, 0xc3);
  EXPECT_FALSE(topology.gpus[0].hidden_by);
  EXPECT_FALSE(topology.host.allowed);
}

TEST(Discovery, UsesThePciTreeThatStandsBesideTheNodes) {
  const KfdFixture fixture =
      KfdFixture::from_text("cpu 0\ngpu 1 at 0000:c1:00.0 near 0\ngpu 2 at 0000:c2:00.0 near 0\n");
  const auto& folder = fixture.folder();
  for (const char* address : {"0000:c1:00.0", "0000:c2:00.0"}) {
    const std::string place = std::string("devices/pci0000:c0/0000:c0:01.0/") + address;
    folder.write(place + "/numa_node", "0\n");
    folder.link(place, std::string("bus/pci/devices/") + address);
  }
  const Topology topology = discover(from_tree(folder.path()));
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{1})->locality, Locality::switch_);
}

TEST(Discovery, AnEightGpuTreeTakesUnderFiftyMilliseconds) {
  std::string text = "cpu 0\ncpu 1\n";
  for (int gpu = 0; gpu < 8; ++gpu) {
    text += "gpu " + std::to_string(gpu + 2) + " at 0000:" + std::to_string(10 + gpu) + ":00.0 near " +
            std::to_string(gpu / 4) + " hive_id=5\n";
    for (int other = 0; other < gpu; ++other) {
      text += "links " + std::to_string(gpu + 2) + ' ' + std::to_string(other + 2) + '\n';
    }
  }
  const KfdFixture fixture = KfdFixture::from_text(text);
  auto best = std::chrono::steady_clock::duration::max();
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(discover(from_tree(fixture.folder().path())).links, SizeIs(56));
    best = std::min(best, std::chrono::steady_clock::now() - start);
  }
  EXPECT_LT(best, std::chrono::milliseconds(50));
}

TEST(Discovery, AFileStandsInForTheMachine) {
  const test::TemporaryFolder folder;
  const Topology tree = discover(from_tree(KfdFixture::from_file("cpx").folder().path()));
  const auto file = folder.write("cpx.json", to_json(tree));
  EXPECT_EQ(discover(from_file(file)), tree);
  setenv("SKUA_TOPOLOGY", file.c_str(), 1);
  EXPECT_EQ(discover(), tree);
  unsetenv("SKUA_TOPOLOGY");
}

TEST(Discovery, AFileNeedsToListDirectLinksOnly) {
  const test::TemporaryFolder folder;
  const auto file =
      folder.write("chain.json", R"({"schema":"skua.topology/1","gpus":[{"id":0},{"id":1},{"id":2}],"links":[
    {"from":0,"to":1,"kind":"xgmi","hops":1},{"from":1,"to":0,"kind":"xgmi","hops":1},
    {"from":1,"to":2,"kind":"xgmi","hops":1},{"from":2,"to":1,"kind":"xgmi","hops":1}]})");
  const Topology topology = discover(from_file(file));
  ASSERT_THAT(topology.links, SizeIs(6));
  EXPECT_EQ(topology.link(GpuId{2}, GpuId{0})->hops, 2u);
}

TEST(Discovery, ErrorsNameTheOptionAndThePath) {
  const test::TemporaryFolder folder;
  const auto empty = folder.write("empty/file", "");
  EXPECT_THAT(error_of(from_tree("/no/such/folder")), HasSubstr("--sysfs: /no/such/folder is not a folder"));
  EXPECT_THAT(error_of(from_tree(empty)), HasSubstr("is not a folder"));
  EXPECT_THAT(error_of(from_tree(folder.path())), HasSubstr("there are no KFD nodes in " + folder.path().string()));
  EXPECT_THAT(error_of(from_file("/no/such/file")), HasSubstr("--file: /no/such/file cannot be opened"));
  EXPECT_THAT(error_of(from_file(folder.path())), HasSubstr("is a folder"));
  EXPECT_THAT(error_of(from_file(empty)), HasSubstr(empty.string()));
  DiscoveryOptions contradicting = from_tree(folder.path());
  contradicting.source = Source::nvml;
  EXPECT_THAT(error_of(contradicting), HasSubstr("--from"));
  setenv("SKUA_TOPOLOGY", "/no/such/file", 1);
  EXPECT_THAT(error_of({}), HasSubstr("SKUA_TOPOLOGY: /no/such/file cannot be opened"));
  unsetenv("SKUA_TOPOLOGY");
}

TEST(Discovery, KnowsThisMachinesCpus) {
  const Topology topology = discover();
  EXPECT_TRUE(topology.host.allowed);
  EXPECT_FALSE(topology.numa_nodes.empty());
}

TEST(Discovery, EverySourceCanBeAskedAloneEvenIfItIsNotThere) {
  for (const Source source : {Source::kfd, Source::rocm_smi, Source::nvml, Source::hwloc}) {
    DiscoveryOptions options;
    options.source = source;
    EXPECT_FALSE(discover(options).numa_nodes.empty());
  }
}

}  // namespace
}  // namespace skua
