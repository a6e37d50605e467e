// Inputs after field reports: descriptions that were read wrongly once.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/discovery.hpp>
#include <skua/input.hpp>

#include <read/described.hpp>
#include "support/pasted_machine.hpp"
#include "support/recorded.hpp"

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class FieldInput : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::field_inputs_folder()) GTEST_SKIP() << "there is no folder of inputs after field reports";
  }

  static Topology read(const std::string& name) {
    DiscoveryOptions options;
    options.file = *test::field_inputs_folder() / name;
    return discover(options);
  }
};

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Whether the pair is 0-1 or 2-3.
bool is_near(std::uint32_t from, std::uint32_t to) {
  return from / 2 == to / 2;
}

template <class Check>
void for_pairs(const Topology& topology, Check check) {
  for (std::uint32_t from = 0; from < topology.gpus.size(); ++from) {
    for (std::uint32_t to = 0; to < topology.gpus.size(); ++to) {
      if (from == to) continue;
      SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
      check(from, to, link(topology, from, to));
    }
  }
}

TEST_F(FieldInput, ATableOfNvidiaSmiBehindAPromptInBrackets) {
  const auto topology = read("nvidia-smi-after-bracket-prompt.txt");
  ASSERT_THAT(topology.gpus, SizeIs(4));
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) EXPECT_EQ(topology.gpus[gpu].numa_node, NumaId{gpu / 2});
  for_pairs(topology, [](std::uint32_t from, std::uint32_t to, const Link& pair) {
    EXPECT_EQ(pair.kind, is_near(from, to) ? LinkKind::nvlink : LinkKind::pcie);
    EXPECT_EQ(pair.count, is_near(from, to) ? std::optional(4u) : std::nullopt);
    EXPECT_EQ(pair.locality, is_near(from, to) ? std::nullopt : std::optional(Locality::system));
  });
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST_F(FieldInput, TablesOfRocmSmiBehindAPromptInBrackets) {
  const auto topology = read("rocm-smi-after-bracket-prompt.txt");
  ASSERT_THAT(topology.gpus, SizeIs(4));
  for_pairs(topology, [](std::uint32_t from, std::uint32_t to, const Link& pair) {
    EXPECT_EQ(pair.kind, is_near(from, to) ? LinkKind::xgmi : LinkKind::pcie);
    if (is_near(from, to)) {
      EXPECT_EQ(pair.hops, 1u);
    } else {
      EXPECT_EQ(pair.locality, Locality::system);
    }
  });
}

// As without its first line.
TEST_F(FieldInput, APromptChangesNothingThatIsRead) {
  for (const char* name : {"nvidia-smi-after-bracket-prompt.txt", "rocm-smi-after-bracket-prompt.txt"}) {
    const std::string content = content_of(*test::field_inputs_folder() / name);
    const auto without = read_described(content.substr(content.find('\n') + 1), name);
    const auto with = read_described(content, name);
    EXPECT_EQ(with.gpus, without.gpus);
    EXPECT_EQ(with.links, without.links);
  }
}

#if SKUA_HAS_LIBXML2
TEST_F(FieldInput, ACloudsFileForNcclWithoutGpuElements) {
  const auto topology = read("nccl-provider-file-without-gpu-elements.xml");
  ASSERT_THAT(topology.gpus, SizeIs(4));
  for (const Gpu& gpu : topology.gpus) {
    ASSERT_TRUE(gpu.pci);
    const bool is_first = gpu.pci->domain > 2;
    EXPECT_EQ(gpu.numa_node, NumaId{is_first ? 0u : 1u});
    EXPECT_EQ(gpu.cpus, CpuSet::from_list(is_first ? "0-11" : "12-23"));
  }
  for_pairs(topology, [](std::uint32_t from, std::uint32_t to, const Link& pair) {
    EXPECT_EQ(pair.kind, LinkKind::pcie);
    EXPECT_EQ(pair.locality, is_near(from, to) ? Locality::switch_ : Locality::system);
    EXPECT_EQ(pair.bandwidth_gb_per_s, std::nullopt);
  });
  EXPECT_THAT(topology.notes, ElementsAre(HasSubstr("of links between them it tells nothing")));
}

TEST_F(FieldInput, MatricesOfHwlocThatHaveOneValueForAllOfXgmi) {
  const auto topology = read("hwloc-xgmi-matrices-of-one-value.xml");
  ASSERT_THAT(topology.gpus, SizeIs(4));
  for (const Gpu& gpu : topology.gpus) EXPECT_EQ(gpu.hive, 0u);
  for_pairs(topology, [](std::uint32_t, std::uint32_t, const Link& pair) {
    EXPECT_EQ(pair.kind, LinkKind::xgmi);
    EXPECT_EQ(pair.hops, std::nullopt);
    EXPECT_EQ(pair.bandwidth_gb_per_s, std::nullopt);
  });
  EXPECT_THAT(topology.notes, ElementsAre(HasSubstr("one value for all pairs")));
}

TEST_F(FieldInput, AnNvSwitchThatOneGpuCannotName) {
  const auto topology = read("nccl-one-gpu-whose-switch-is-unknown.xml");
  ASSERT_THAT(topology.gpus, SizeIs(4));
  for (const Gpu& gpu : topology.gpus) EXPECT_EQ(gpu.hive, 0u);
  for_pairs(topology, [](std::uint32_t, std::uint32_t, const Link& pair) {
    EXPECT_EQ(pair.kind, LinkKind::nvlink);
    EXPECT_EQ(pair.count, 18u);
    EXPECT_EQ(pair.hops, 1u);
  });
  EXPECT_THAT(topology.notes, Contains(HasSubstr("an NVSwitch that has no address")));
}
#endif

/// All files under a folder, whatever they are.
std::vector<fs::path> files_under(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

TEST_F(FieldInput, WhateverElseLiesThereIsReadOrIsOneErrorThatNamesIt) {
  for (const fs::path& folder : {*test::field_inputs_folder(), test::recorded_folder().value_or(fs::path())}) {
    if (folder.empty()) continue;
    for (const fs::path& file : files_under(folder)) {
      SCOPED_TRACE(file);
      DiscoveryOptions options;
      options.file = file;
      try {
        EXPECT_THAT(discover(options).gpus, ::testing::Not(IsEmpty()));
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), StartsWith(file.string() + ":"));
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace skua
