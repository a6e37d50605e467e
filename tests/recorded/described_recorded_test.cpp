// Recorded files of described machines, against what a separate reader found in them.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <skua/discovery.hpp>

#include <read/described.hpp>
#include "support/machine_tree.hpp"
#include "support/recorded.hpp"

namespace skua {
namespace {

using nlohmann::json;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class Recorded : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = test::recorded_folder();
    if (!folder || GetParam().empty()) GTEST_SKIP() << test::recorded_skip_reason();
    if (!SKUA_HAS_LIBXML2 && GetParam().ends_with(".xml")) GTEST_SKIP() << "built without libxml2";
    topology_ = read_described(content_of(*folder / GetParam()), GetParam());
    const auto stem = fs::path(GetParam()).replace_extension(".json");
    const fs::path expectation = *folder / "expected" / stem;
    if (fs::exists(expectation)) std::ifstream(expectation) >> expected_;
    EXPECT_EQ(topology_from_json(to_json(topology_), "json"), topology_);
  }

  std::size_t count() const { return topology_.gpus.size(); }
  const Link& pair(std::size_t from, std::size_t to) const {
    return *topology_.link(GpuId{static_cast<std::uint32_t>(from)}, GpuId{static_cast<std::uint32_t>(to)});
  }
  /// Calls `check` with every ordered pair of different GPUs.
  template <class Check>
  void for_pairs(Check check) const {
    for (std::size_t from = 0; from < count(); ++from) {
      for (std::size_t to = 0; to < count(); ++to) {
        if (from == to) continue;
        SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
        check(from, to);
      }
    }
  }

  json expected_;
  Topology topology_;
};

class RecordedRcclXml : public Recorded {};

TEST_P(RecordedRcclXml, IsReadAsASeparateReaderDid) {
  ASSERT_EQ(count(), expected_.at("gpu_count").get<std::size_t>());
  for (std::size_t id = 0; id < count(); ++id) {
    const json& expected = expected_.at("gpus")[id];
    const Gpu& gpu = topology_.gpus[id];
    SCOPED_TRACE(expected.dump());
    EXPECT_EQ(gpu.pci, PciAddress::from_text(expected.at("bdf").get<std::string>()));
    EXPECT_EQ(gpu.numa_node, NumaId{expected.at("numa").get<std::uint32_t>()});
    EXPECT_EQ(gpu.arch, expected.at("gfx").get<std::string>());
    EXPECT_EQ(gpu.compute_units, expected.at("cu").get<std::uint32_t>());
    EXPECT_TRUE(gpu.cpus);
  }
  for_pairs([&](std::size_t from, std::size_t to) {
    const int links = expected_.at("xgmi_links")[from][to];
    const int hops = expected_.at("xgmi_hops")[from][to];
    const Link& link = pair(from, to);
    EXPECT_EQ(link.kind, hops > 0 ? LinkKind::xgmi : LinkKind::pcie);
    EXPECT_EQ(link.hops, hops > 0 ? std::optional(static_cast<std::uint32_t>(hops)) : std::nullopt);
    EXPECT_EQ(link.count, links > 0 ? std::optional(static_cast<std::uint32_t>(links)) : std::nullopt);
    EXPECT_EQ(link.bandwidth_gb_per_s, std::nullopt);
    EXPECT_TRUE(link.assumed_bandwidth_gb_per_s);
    EXPECT_EQ(link.locality.has_value(), link.kind == LinkKind::pcie);
  });
  EXPECT_EQ(topology_.notes.empty(), expected_.at("symmetric").get<bool>());
}

TEST_P(RecordedRcclXml, HasItsHivesAndNumaNodes) {
  std::vector<std::vector<std::uint32_t>> hives;
  for (std::uint32_t id = 0; id < count(); ++id) {
    const auto hive = topology_.gpus[id].hive;
    if (!hive) continue;
    if (*hive == hives.size()) hives.emplace_back();
    hives.at(*hive).push_back(id);
  }
  // A GPU without links is no hive.
  std::vector<std::vector<std::uint32_t>> expected_hives;
  for (const json& hive : expected_.at("hives")) {
    if (hive.size() > 1) expected_hives.push_back(hive.get<std::vector<std::uint32_t>>());
  }
  EXPECT_EQ(hives, expected_hives);
  std::vector<std::uint32_t> nodes;
  for (const NumaNode& node : topology_.numa_nodes) nodes.push_back(node.id.index);
  EXPECT_EQ(nodes, expected_.at("numa_nodes_named").get<std::vector<std::uint32_t>>());
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedRcclXml, ::testing::ValuesIn(test::recorded_files("rccl-xml", ".xml")),
                         test::recorded_test_name);

class RecordedHwlocXml : public Recorded {};

TEST_P(RecordedHwlocXml, IsReadAsASeparateReaderDid) {
  ASSERT_EQ(count(), expected_.at("gpu_count").get<std::size_t>());
  for (std::size_t id = 0; id < count(); ++id) {
    const json& expected = expected_.at("gpus")[id];
    SCOPED_TRACE(expected.dump());
    EXPECT_EQ(topology_.gpus[id].pci, PciAddress::from_text(expected.at("bdf").get<std::string>()));
    ASSERT_TRUE(topology_.gpus[id].numa_node);
    const auto nodes = std::stoull(expected.at("nodeset").get<std::string>(), nullptr, 16);
    EXPECT_EQ(std::uint64_t{1} << topology_.gpus[id].numa_node->index, nodes);
  }
  // In these matrices the GPUs come first, and then the switches.
  const json& speeds = expected_.at("all_mbps");
  for_pairs([&](std::size_t from, std::size_t to) {
    double mb_per_s = speeds[from][to];
    for (std::size_t other = count(); other < speeds.size(); ++other) {
      mb_per_s += std::min(speeds[from][other].get<double>(), speeds[to][other].get<double>());
    }
    const Link& link = pair(from, to);
    EXPECT_EQ(link.kind, mb_per_s > 0 ? LinkKind::nvlink : LinkKind::pcie);
    EXPECT_EQ(link.hops, mb_per_s > 0 ? std::optional(1u) : std::nullopt);
    EXPECT_EQ(link.bandwidth_gb_per_s, mb_per_s > 0 ? std::optional(mb_per_s / 1000) : std::nullopt);
  });
  EXPECT_THAT(topology_.notes, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedHwlocXml, ::testing::ValuesIn(test::recorded_files("hwloc-xml", ".xml")),
                         test::recorded_test_name);

class RecordedNvidiaSmi : public Recorded {};

TEST_P(RecordedNvidiaSmi, IsReadAsASeparateReaderDid) {
  ASSERT_EQ(count(), expected_.at("gpu_count").get<std::size_t>());
  for (std::size_t id = 0; id < count(); ++id) {
    const json& cpus = expected_.at("cpu_affinity")[id];
    const json& node = expected_.at("numa_affinity")[id];
    EXPECT_EQ(topology_.gpus[id].cpus, cpus.is_null() ? std::nullopt : CpuSet::from_list(cpus.get<std::string>()));
    const auto expected_node =
        node.is_null() ? std::nullopt
                       : std::optional(NumaId{static_cast<std::uint32_t>(std::stoul(node.get<std::string>()))});
    EXPECT_EQ(topology_.gpus[id].numa_node, expected_node);
  }
  for_pairs([&](std::size_t from, std::size_t to) {
    const std::string relation = expected_.at("relation")[from][to];
    const std::uint32_t links = expected_.at("nvlinks")[from][to];
    const Link& link = pair(from, to);
    if (links > 0) {
      EXPECT_EQ(link.kind, LinkKind::nvlink);
      EXPECT_EQ(link.count, links);
      EXPECT_EQ(link.hops, 1u);
      return;
    }
    EXPECT_EQ(link.kind, LinkKind::pcie);
    EXPECT_EQ(link.count, std::nullopt);
    const std::map<std::string, Locality> localities = {{"PIX", Locality::switch_},
                                                        {"PXB", Locality::switch_},
                                                        {"PHB", Locality::bridge},
                                                        {"NODE", Locality::node},
                                                        {"SYS", Locality::system}};
    EXPECT_EQ(link.locality, localities.at(relation));
  });
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedNvidiaSmi, ::testing::ValuesIn(test::recorded_files("nvidia-smi", ".txt")),
                         test::recorded_test_name);

class RecordedRocmSmi : public Recorded {};

TEST_P(RecordedRocmSmi, IsReadAsASeparateReaderDid) {
  ASSERT_EQ(count(), expected_.at("gpu_count").get<std::size_t>());
  for (std::size_t id = 0; id < count(); ++id) {
    EXPECT_EQ(topology_.gpus[id].numa_node, NumaId{expected_.at("numa_node")[id].get<std::uint32_t>()});
  }
  for_pairs([&](std::size_t from, std::size_t to) {
    const Link& link = pair(from, to);
    const bool is_xgmi = expected_.at("type")[from][to] == "XGMI";
    EXPECT_EQ(link.kind, is_xgmi ? LinkKind::xgmi : LinkKind::pcie);
    if (is_xgmi) {
      EXPECT_EQ(link.hops, test::hops_by_weight(expected_.at("weight")[from][to]));
    } else {
      EXPECT_EQ(link.hops, expected_.at("hops_as_printed")[from][to].get<std::uint32_t>());
    }
    EXPECT_EQ(link.bandwidth_gb_per_s, std::nullopt);
  });
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedRocmSmi, ::testing::ValuesIn(test::recorded_files("rocm-smi", ".txt")),
                         test::recorded_test_name);

class RecordedAmdSmi : public Recorded {};

TEST_P(RecordedAmdSmi, IsReadAsASeparateReaderDid) {
  ASSERT_EQ(count(), expected_.at("gpu_count").get<std::size_t>());
  for (std::size_t id = 0; id < count(); ++id) {
    EXPECT_EQ(topology_.gpus[id].pci, PciAddress::from_text(expected_.at("bdf")[id].get<std::string>()));
  }
  for_pairs([&](std::size_t from, std::size_t to) {
    const Link& link = pair(from, to);
    const bool is_xgmi = expected_.at("link_type_table")[from][to] == "XGMI";
    EXPECT_EQ(link.kind, is_xgmi ? LinkKind::xgmi : LinkKind::pcie);
    if (is_xgmi) {
      const std::string weight = expected_.at("weight_table")[from][to];
      EXPECT_EQ(link.hops, test::hops_by_weight(std::stoi(weight)));
    }
    // "50000-100000": of one link, and of all that join the pair.
    const std::string speeds = expected_.at("numa_bw_table")[from][to];
    const auto dash = speeds.find('-');
    if (dash == std::string::npos) return;
    const double min = std::stod(speeds.substr(0, dash));
    const double max = std::stod(speeds.substr(dash + 1));
    EXPECT_EQ(link.bandwidth_gb_per_s, max > 0 ? std::optional(max / 1000) : std::nullopt);
    if (is_xgmi && min > 0) {
      EXPECT_EQ(link.count, static_cast<std::uint32_t>(max / min));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedAmdSmi, ::testing::ValuesIn(test::recorded_files("amd-smi", ".txt")),
                         test::recorded_test_name);

class RecordedBandwidthTest : public Recorded {};

TEST_P(RecordedBandwidthTest, IsReadAsASeparateReaderDid) {
  std::vector<std::size_t> devices;
  for (const json& device : expected_.at("devices")) {
    if (device.at("kind") != "gpu") continue;
    const std::size_t place = devices.size();
    devices.push_back(device.at("device"));
    ASSERT_LT(place, count());
    EXPECT_EQ(topology_.gpus[place].pci, PciAddress::from_text(device.at("bdf").get<std::string>()));
  }
  ASSERT_EQ(count(), devices.size());
  for_pairs([&](std::size_t from, std::size_t to) {
    const Link& link = pair(from, to);
    const json& distance = expected_.at("inter_device_numa_distance")[devices[from]][devices[to]];
    const auto hops = distance.is_null() ? std::nullopt : test::hops_by_weight(distance);
    EXPECT_EQ(link.kind == LinkKind::xgmi, hops.has_value());
    EXPECT_EQ(link.hops, hops);
    const json& speed = expected_.at("unidirectional_copy_peak_bandwidth")[devices[from]][devices[to]];
    EXPECT_EQ(link.bandwidth_gb_per_s, speed.is_null() ? std::nullopt : std::optional(speed.get<double>()));
  });
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedBandwidthTest,
                         ::testing::ValuesIn(test::recorded_files("rocm-bandwidth-test", ".txt")),
                         test::recorded_test_name);

class RecordedMachine : public Recorded {};

TEST_P(RecordedMachine, HasTheGpusAndLinksOfTheDescription) {
  const json machine = json::parse(content_of(*test::recorded_folder() / GetParam()));
  ASSERT_EQ(count(), machine.at("gpus").size());
  for (std::size_t id = 0; id < count(); ++id) {
    const json& expected = machine.at("gpus")[id];
    EXPECT_EQ(topology_.gpus[id].pci, PciAddress::from_text(expected.at("bdf").get<std::string>()));
    EXPECT_EQ(topology_.gpus[id].numa_node, NumaId{expected.at("numa").get<std::uint32_t>()});
    EXPECT_EQ(topology_.gpus[id].arch, machine.at("gfx").get<std::string>());
    EXPECT_EQ(topology_.gpus[id].compute_units, machine.at("cu").get<std::uint32_t>());
    EXPECT_EQ(topology_.gpus[id].hive.has_value(), expected.at("hive_id") != "0");
  }
  std::set<std::pair<std::size_t, std::size_t>> joined;
  for (const json& expected : machine.at("gpu_links")) {
    const std::size_t a = expected.at("a");
    const std::size_t b = expected.at("b");
    joined.insert({a, b});
    joined.insert({b, a});
    for (const Link* link : {&pair(a, b), &pair(b, a)}) {
      SCOPED_TRACE(expected.dump());
      EXPECT_EQ(link->kind, LinkKind::xgmi);
      EXPECT_EQ(link->hops, expected.at("hops").get<std::uint32_t>());
      const std::uint32_t links = expected.at("links");
      EXPECT_EQ(link->count, links > 0 ? std::optional(links) : std::nullopt);
      const double max = expected.at("max");
      EXPECT_EQ(link->bandwidth_gb_per_s, max > 0 ? std::optional(max / 1000) : std::nullopt);
    }
  }
  for_pairs([&](std::size_t from, std::size_t to) {
    if (joined.contains({from, to})) return;
    EXPECT_EQ(pair(from, to).kind, LinkKind::pcie);
  });
  EXPECT_EQ(topology_.numa_nodes.size(), machine.at("cpus").size());
  EXPECT_THAT(topology_.notes, IsEmpty());
}

// The description, and the files that a driver would show of it, are one machine.
TEST_P(RecordedMachine, IsTheGraphThatItsTreeOfFilesGives) {
  const test::MachineTree tree(json::parse(content_of(*test::recorded_folder() / GetParam())));
  DiscoveryOptions options;
  options.sysfs = tree.path();
  const Topology by_kfd = discover(options);
  ASSERT_EQ(by_kfd.gpus.size(), count());
  for (std::size_t id = 0; id < count(); ++id) {
    EXPECT_EQ(topology_.gpus[id].pci, by_kfd.gpus[id].pci);
    EXPECT_EQ(topology_.gpus[id].hive, by_kfd.gpus[id].hive);
    EXPECT_EQ(topology_.gpus[id].numa_node, by_kfd.gpus[id].numa_node);
    EXPECT_EQ(topology_.gpus[id].compute_units, by_kfd.gpus[id].compute_units);
  }
  ASSERT_EQ(by_kfd.links.size(), topology_.links.size());
  for (std::size_t place = 0; place < by_kfd.links.size(); ++place) {
    const Link& kfd = by_kfd.links[place];
    const Link& link = topology_.links[place];
    SCOPED_TRACE(std::to_string(link.from.index) + " to " + std::to_string(link.to.index));
    EXPECT_EQ(link.kind, kfd.kind);
    EXPECT_EQ(link.hops, kfd.hops);
    EXPECT_EQ(link.bandwidth_gb_per_s, kfd.bandwidth_gb_per_s);
    EXPECT_EQ(link.locality, kfd.locality);
    // Old drivers tell no speeds, from which the number of links would follow.
    if (kfd.count) {
      EXPECT_EQ(link.count, kfd.count);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedMachine, ::testing::ValuesIn(test::recorded_files("machines", ".json")),
                         test::recorded_test_name);

}  // namespace
}  // namespace skua
