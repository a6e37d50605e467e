// Recorded KFD trees, against what a separate reader found in them.
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <skua/discovery.hpp>

#include "support/recorded.hpp"
#include "support/temporary_folder.hpp"

namespace skua {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class RecordedKfd : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = test::recorded_folder();
    if (!folder || GetParam().empty()) GTEST_SKIP() << test::recorded_skip_reason();
    const fs::path expectation = *folder / "expected/kfd-nodes" / (GetParam() + ".json");
    std::ifstream(expectation) >> expected_;
    fs::path tree = *folder / "kfd-nodes" / GetParam();
    const fs::path archive = tree.string() + ".tar.xz";
    if (!fs::exists(tree) && fs::exists(archive)) {
      const std::string command = "tar -xJf '" + archive.string() + "' -C '" + unpacked_.path().string() + "'";
      if (std::system(command.c_str()) != 0) GTEST_SKIP() << "tar cannot unpack " << archive;
      tree = unpacked_.path();
      // The archive may hold the nodes or a folder around them.
      if (!fs::exists(tree / "nodes")) tree = fs::directory_iterator(tree)->path();
    }
    DiscoveryOptions options;
    options.sysfs = tree;
    topology_ = discover(options);
  }

  const Link& pair(std::size_t from, std::size_t to) const {
    return *topology_.link(GpuId{static_cast<std::uint32_t>(from)}, GpuId{static_cast<std::uint32_t>(to)});
  }

  struct ExpectedPair {
    int type;
    int weight;
    double mb_per_s;
  };

  /// Small machines list every pair, large ones the two classes of pairs.
  ExpectedPair expected_pair(std::size_t from, std::size_t to, bool in_package) const {
    if (expected_.contains("io_link_type")) {
      return {expected_.at("io_link_type")[from][to], expected_.at("io_link_weight")[from][to],
              expected_.at("io_link_max_mbps")[from][to]};
    }
    for (const json& pairs : expected_.at("gpu_pairs")) {
      if (pairs.at("same_device") == in_package) return {pairs.at("type"), pairs.at("weight"), pairs.at("max_mbps")};
    }
    throw std::runtime_error("the expectation lists no such pair");
  }

  test::TemporaryFolder unpacked_;
  json expected_;
  Topology topology_;
};

TEST_P(RecordedKfd, GpusAreThoseOfTheMachine) {
  ASSERT_EQ(topology_.gpus.size(), expected_.at("gpu_count").get<std::size_t>());
  for (std::size_t id = 0; id < topology_.gpus.size(); ++id) {
    const json& expected = expected_.at("gpus")[id];
    const Gpu& gpu = topology_.gpus[id];
    SCOPED_TRACE(expected.dump());
    auto address = PciAddress::from_text(expected.at("bdf").get<std::string>()).value();
    EXPECT_EQ(gpu.partition.value_or(0), address.function);
    address.function = 0;
    EXPECT_EQ(gpu.pci, address);
    EXPECT_EQ(gpu.arch,
              expected.at("gfx").is_null() ? std::nullopt : std::optional(expected.at("gfx").get<std::string>()));
    EXPECT_EQ(gpu.compute_units, expected.at("cu").get<std::uint32_t>());
    EXPECT_EQ(gpu.numa_node, NumaId{expected.at("cpu_node").get<std::uint32_t>()});
    EXPECT_EQ(gpu.hive,
              expected.at("hive").is_null() ? std::nullopt : std::optional(expected.at("hive").get<std::uint32_t>()));
    EXPECT_EQ(gpu.basis, Basis::kfd);
  }
  EXPECT_EQ(topology_.numa_nodes.size(), expected_.at("cpu_nodes").size());
}

TEST_P(RecordedKfd, LinksAreThoseOfTheMachine) {
  for (std::size_t from = 0; from < topology_.gpus.size(); ++from) {
    for (std::size_t to = 0; to < topology_.gpus.size(); ++to) {
      if (from == to) continue;
      SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
      const bool in_package = expected_.at("gpus")[from].at("device") == expected_.at("gpus")[to].at("device");
      const ExpectedPair expected = expected_pair(from, to, in_package);
      const bool is_xgmi = expected.type == 11;
      const Link& link = pair(from, to);
      EXPECT_EQ(link.kind, in_package ? LinkKind::package : (is_xgmi ? LinkKind::xgmi : LinkKind::pcie));
      EXPECT_EQ(link.hops, is_xgmi ? test::hops_by_weight(expected.weight) : std::nullopt);
      const bool is_known = expected.mb_per_s > 0;
      EXPECT_EQ(link.bandwidth_gb_per_s, is_known ? std::optional(expected.mb_per_s / 1000) : std::nullopt);
      EXPECT_NE(link.bandwidth_gb_per_s.has_value(), link.assumed_bandwidth_gb_per_s.has_value());
    }
  }
}

TEST_P(RecordedKfd, ReadsWithoutComplaintsAndBackFromJson) {
  EXPECT_THAT(topology_.notes, ::testing::IsEmpty());
  EXPECT_EQ(topology_from_json(to_json(topology_), "json"), topology_);
}

INSTANTIATE_TEST_SUITE_P(Machines, RecordedKfd, ::testing::ValuesIn(test::recorded_machines("kfd-nodes")),
                         test::recorded_test_name);

}  // namespace
}  // namespace skua
