// The table that people read.
#include <skua/topology.hpp>

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <graph/graph.hpp>
#include <probe/kfd.hpp>
#include <probe/merge.hpp>
#include <text/text_table.hpp>
#include "support/kfd_fixture.hpp"

namespace skua {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::string& name) {
  return to_text(merge({probe_kfd(test::KfdFixture::from_file(name).nodes())}).topology);
}

TEST(TopologyText, ShowsGpusKindsHopsAndSpeeds) {
  const std::string text = text_of("chain");
  EXPECT_THAT(text, HasSubstr("0   AMD Instinct MI210  gfx90a  0000:c3:00.0  0     0     ?     104"));
  EXPECT_THAT(text, HasSubstr("  1    XGMIx1  .       XGMIx2  XGMI\n"));
  EXPECT_THAT(text, HasSubstr("  0    .  1  2  3\n"));
  EXPECT_THAT(text, HasSubstr("  0    .    50   ~50  ~50\n"));
}

TEST(TopologyText, ShowsNoMarkerAsASpeed) {
  const std::string text = text_of("markers");
  const auto start = text.find("Bandwidth");
  std::istringstream words(text.substr(start, text.find("NUMA nodes", start) - start));
  std::string line;
  std::getline(words, line);
  std::getline(words, line);
  while (std::getline(words, line)) {
    std::istringstream cells(line);
    std::string cell;
    cells >> cell;
    while (cells >> cell) {
      EXPECT_NE(cell, "0");
      EXPECT_LT(cell.size(), 8u) << cell;
    }
  }
}

TEST(TopologyText, ColumnsThatNobodyFillsAreLeftOut) {
  EXPECT_THAT(text_of("gaps"), Not(HasSubstr("partition")));
  EXPECT_THAT(text_of("cpx"), HasSubstr("partition"));
}

TEST(TopologyText, ShowsWhatAGpuIsMadeOfWhereThatIsKnown) {
  Topology topology;
  topology.gpus.resize(2);
  EXPECT_THAT(to_text(topology), Not(HasSubstr("XCDs")));
  topology.gpus[0].xcds = 8;
  topology.gpus[0].shader_engines = 32;
  topology.gpus[0].hardware_queues = 24;
  EXPECT_THAT(to_text(topology), HasSubstr("XCDs  engines  queues"));
  EXPECT_THAT(to_text(topology), HasSubstr("8     32       24"));
  EXPECT_THAT(to_text(topology), Not(HasSubstr("integrated")));
  topology.gpus[1].integrated = true;
  EXPECT_THAT(to_text(topology), HasSubstr("integrated"));
}

TEST(TopologyText, ShowsWhatHidesAGpu) {
  Topology topology;
  topology.gpus.resize(2);
  topology.gpus[1].hidden_by = "ROCR_VISIBLE_DEVICES";
  EXPECT_THAT(to_text(topology), HasSubstr("ROCR_VISIBLE_DEVICES"));
}

TEST(TopologyText, ShowsTheHostWithoutGpus) {
  Topology topology;
  topology.host.allowed = CpuSet::from_list("0-3");
  topology.host.quota_cpus = 2.5;
  topology.numa_nodes = {{NumaId{0}, *CpuSet::from_list("0-7"), std::uint64_t{4} << 30, 0}};
  const std::string text = to_text(topology);
  EXPECT_THAT(text, HasSubstr("No GPUs\n"));
  EXPECT_THAT(text, HasSubstr("  0   0        0-7   4 GiB\n"));
  EXPECT_THAT(text, HasSubstr("Allowed CPUs: 0-3 (3 usable)\n"));
  EXPECT_THAT(text, HasSubstr("CPU quota: 2.5 CPUs\n"));
}

TEST(TopologyText, GivesTheTerminalNothingToObey) {
  Topology topology;
  topology.gpus.resize(1);
  topology.gpus[0].name = "evil\x1b[2Jname";
  EXPECT_THAT(to_text(topology), HasSubstr("evil?[2Jname"));
}

TEST(TopologyText, CountsThePairsOfAThousandGpusByClass) {
  Topology topology;
  topology.gpus.resize(1000);
  complete_links(topology, {}, LinkKind::pcie, Basis::file);
  EXPECT_THAT(to_text(topology), HasSubstr("999000"));
}

TEST(TextTable, AlignsColumns) {
  TextTable table({"a", "bb", "c"});
  table.add({"1", "", "x"});
  table.add({"22", "", "yy"});
  EXPECT_EQ(table.to_text(), "  a   c\n  1   x\n  22  yy\n");
}

}  // namespace
}  // namespace skua
