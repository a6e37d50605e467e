// The real librocm_smi64 over described machines, against the KFD probe.
#include <dlfcn.h>
#include <pthread.h>

#include <chrono>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <skua/discovery.hpp>

#include <probe/rocm_smi.hpp>
#include "support/forked_call.hpp"
#include "support/machine_tree.hpp"
#include "support/recorded.hpp"

namespace skua {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Four GPUs in a chain, in domains 0 and 1, card 0 being no GPU of AMD's.
constexpr const char* chain = R"({"gfx":"gfx90a","cu":104,"cpus":[{"cores":8},{"cores":8}],
  "cpu_links":[{"a":0,"b":1,"type":"ht","weight":32}],"host_link":{"type":"pcie","weight":20,"max":32000},
  "bmc_card0":true,
  "gpus":[{"index":0,"bdf":"0000:c3:00.0","numa":0,"hive_id":"18446744073709551615"},
          {"index":1,"bdf":"0000:03:00.0","numa":0,"hive_id":"18446744073709551615"},
          {"index":2,"bdf":"0001:03:00.0","numa":1,"hive_id":"18446744073709551615"},
          {"index":3,"bdf":"0000:83:00.0","numa":1,"hive_id":"18446744073709551615"}],
  "gpu_links":[{"a":0,"b":1,"type":"xgmi","weight":15,"min":50000,"max":50000},
               {"a":1,"b":2,"type":"xgmi","weight":15,"min":50000,"max":200000},
               {"a":2,"b":3,"type":"xgmi","weight":15,"min":50000,"max":50000},
               {"a":0,"b":2,"type":"xgmi","weight":30},{"a":1,"b":3,"type":"xgmi","weight":30},
               {"a":0,"b":3,"type":"xgmi","weight":45}]})";

bool library_is_there() {
  // In a process of its own: beside a library that this one has loaded none would be asked.
  const auto answer = test::in_forked_process([]() -> std::string {
    for (const std::string& name : RocmSmiOptions().libraries) {
      if (dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return "yes";
    }
    return "no";
  });
  return answer == "yes";
}

Topology discovered(Source source) {
  DiscoveryOptions options;
  options.source = source;
  return discover(options);
}

/// What each source sees of one machine, asked in a process that has it as its own.
struct Views {
  Topology kfd;
  Topology rocm_smi;
  Topology all;
  std::string reason;  ///< why there are none
};

Views views_of(const test::MachineTree& tree) {
  Views views;
  const auto text = tree.run_inside(
      [] {
        return json::array({to_json(discovered(Source::kfd)), to_json(discovered(Source::rocm_smi)),
                            to_json(discovered(Source::automatic))})
            .dump();
      },
      views.reason);
  if (!text) return views;
  const json parsed = json::parse(*text);
  views.kfd = topology_from_json(parsed[0], "kfd");
  views.rocm_smi = topology_from_json(parsed[1], "rocm_smi");
  views.all = topology_from_json(parsed[2], "all");
  return views;
}

void expect_the_same_graph(const Views& views) {
  ASSERT_FALSE(views.kfd.gpus.empty());
  ASSERT_EQ(views.kfd.gpus.size(), views.rocm_smi.gpus.size());
  for (std::size_t id = 0; id < views.kfd.gpus.size(); ++id) {
    const Gpu& kfd = views.kfd.gpus[id];
    const Gpu& smi = views.rocm_smi.gpus[id];
    EXPECT_EQ(kfd.pci, smi.pci);
    EXPECT_EQ(kfd.hive, smi.hive);
    EXPECT_EQ(kfd.numa_node, smi.numa_node);
  }
  ASSERT_EQ(views.kfd.links.size(), views.rocm_smi.links.size());
  for (std::size_t place = 0; place < views.kfd.links.size(); ++place) {
    const Link& kfd = views.kfd.links[place];
    const Link& smi = views.rocm_smi.links[place];
    SCOPED_TRACE(std::to_string(kfd.from.index) + " to " + std::to_string(kfd.to.index));
    EXPECT_EQ(kfd.kind, smi.kind);
    EXPECT_EQ(kfd.hops, smi.hops);
    EXPECT_EQ(kfd.count, smi.count);
    EXPECT_EQ(kfd.bandwidth_gb_per_s, smi.bandwidth_gb_per_s);
  }
  EXPECT_THAT(views.all.notes, Not(Contains(AnyOf(HasSubstr("disagree"), HasSubstr("aborts"), HasSubstr("ended by")))));
  EXPECT_EQ(views.all.gpus.size(), views.kfd.gpus.size());
}

class RealRocmSmi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!library_is_there()) GTEST_SKIP() << "librocm_smi64 is not installed";
  }
};

TEST_F(RealRocmSmi, SeesAChainAsKfdDoes) {
  const Views views = views_of(test::MachineTree(json::parse(chain)));
  if (!views.reason.empty()) GTEST_SKIP() << "no mount namespace: " << views.reason;
  expect_the_same_graph(views);
  EXPECT_THAT(views.all.notes, Contains(HasSubstr("hops are counted from the weights")));
  EXPECT_EQ(views.all.link(GpuId{0}, GpuId{3})->hops, 3u);
}

TEST_F(RealRocmSmi, IsNotAskedForLinksOnWhichItAborts) {
  json machine = json::parse(chain);
  machine["gpu_links"] = json::array({{{"a", 0}, {"b", 1}, {"type", "pcie"}, {"weight", 40}}});
  const Views views = views_of(test::MachineTree(machine));
  if (!views.reason.empty()) GTEST_SKIP() << "no mount namespace: " << views.reason;
  EXPECT_EQ(views.rocm_smi.gpus.size(), 4u);
  EXPECT_THAT(views.all.notes, Contains(HasSubstr("not asked about links")));
  EXPECT_EQ(views.all.link(GpuId{0}, GpuId{1})->kind, LinkKind::pcie);
}

TEST_F(RealRocmSmi, ALockThatADeadProcessHoldsDelaysNothingBeyondTheDeadline) {
  const test::MachineTree tree(json::parse(chain));
  std::string reason;
  const auto text = tree.run_inside(
      [] {
        // What a killed process leaves behind: the library's mutex, taken.
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_mutex_t mutex;
        pthread_mutex_init(&mutex, &attributes);
        pthread_mutex_lock(&mutex);
        for (int card = 0; card < 6; ++card) {
          std::ofstream file("/dev/shm/rocm_smi_card" + std::to_string(card), std::ios::binary);
          file.write(reinterpret_cast<const char*>(&mutex), sizeof(mutex));
        }
        const auto start = std::chrono::steady_clock::now();
        const Topology topology = discovered(Source::automatic);
        const auto elapsed = std::chrono::steady_clock::now() - start;
        const bool files_stay = std::filesystem::exists("/dev/shm/rocm_smi_card5");
        return json{{"topology", to_json(topology)},
                    {"files_stay", files_stay},
                    {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count()}}
            .dump();
      },
      reason);
  if (!text) GTEST_SKIP() << "no mount namespace: " << reason;
  const json result = json::parse(*text);
  EXPECT_LT(result.at("ms").get<int>(), 2000);
  EXPECT_TRUE(result.at("files_stay").get<bool>());
  const Topology topology = topology_from_json(result.at("topology"), "inside");
  EXPECT_EQ(topology.link(GpuId{0}, GpuId{3})->hops, 3u);
  EXPECT_THAT(topology.notes, Contains(AnyOf(HasSubstr("no answer within"), HasSubstr("failed to start"))));
}

TEST_F(RealRocmSmi, IsAskedWithoutAnyForkOfThisProcess) {
  const test::MachineTree tree(json::parse(chain));
  std::string reason;
  const auto text = tree.run_inside(
      [] {
        static int forks = 0;
        pthread_atfork([] { ++forks; }, nullptr, nullptr);
        const Topology topology = discovered(Source::rocm_smi);
        return std::to_string(topology.gpus.size()) + " GPUs, " + std::to_string(forks) + " forks";
      },
      reason);
  if (!text) GTEST_SKIP() << "no mount namespace: " << reason;
  EXPECT_EQ(*text, "4 GPUs, 0 forks");
}

class RealRocmSmiOnRecorded : public ::testing::TestWithParam<std::string> {};

TEST_P(RealRocmSmiOnRecorded, SeesWhatKfdSees) {
  const auto folder = test::recorded_folder();
  if (!folder || GetParam().empty()) GTEST_SKIP() << test::recorded_skip_reason();
  if (!library_is_there()) GTEST_SKIP() << "librocm_smi64 is not installed";
  json machine;
  std::ifstream(*folder / GetParam()) >> machine;
  const Views views = views_of(test::MachineTree(machine));
  if (!views.reason.empty()) GTEST_SKIP() << "no mount namespace: " << views.reason;
  ASSERT_EQ(views.kfd.gpus.size(), machine.at("gpus").size());
  expect_the_same_graph(views);
  for (const json& link : machine.at("gpu_links")) {
    const GpuId from{link.at("a").get<std::uint32_t>()};
    const GpuId to{link.at("b").get<std::uint32_t>()};
    EXPECT_EQ(views.kfd.link(from, to)->hops, link.at("hops").get<std::uint32_t>());
    EXPECT_EQ(views.kfd.link(to, from)->hops, link.at("hops").get<std::uint32_t>());
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RealRocmSmiOnRecorded,
                         ::testing::ValuesIn(test::recorded_files("machines", ".json")), test::recorded_test_name);

}  // namespace
}  // namespace skua
