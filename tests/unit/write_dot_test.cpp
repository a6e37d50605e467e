// The form for Graphviz.
#include <skua/topology.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <probe/kfd.hpp>
#include <probe/merge.hpp>
#include "support/kfd_fixture.hpp"

namespace skua {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string dot_of(const std::string& name) {
  return to_dot(merge({probe_kfd(test::KfdFixture::from_file(name).nodes())}).topology);
}

TEST(TopologyDot, HivesAreClusters) {
  const std::string dot = dot_of("two_hives");
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_hive_0"));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_hive_1"));
  EXPECT_THAT(dot, HasSubstr("gpu1 -- numa1"));
}

TEST(TopologyDot, WiderLinksAreThickerLines) {
  const std::string dot = dot_of("two_hives");
  EXPECT_THAT(dot, HasSubstr("gpu0 -- gpu2 [penwidth=4.00"));
  EXPECT_THAT(dot, HasSubstr("gpu1 -- gpu3 [penwidth=1.00"));
}

TEST(TopologyDot, DrawsDirectLinksOnceAndOneWayLinksAsArrows) {
  const std::string chain = dot_of("chain");
  EXPECT_THAT(chain, HasSubstr("gpu0 -- gpu1"));
  EXPECT_THAT(chain, Not(HasSubstr("gpu1 -- gpu0")));
  EXPECT_THAT(chain, Not(HasSubstr("gpu0 -- gpu2")));
  EXPECT_THAT(dot_of("one_way"), HasSubstr("dir=forward"));
}

TEST(TopologyDot, NamesCannotBreakOut) {
  Topology topology;
  topology.gpus.resize(1);
  topology.gpus[0].name = "a\"]; evil [label=\"\\";
  EXPECT_THAT(to_dot(topology), HasSubstr("a\\\"]; evil [label=\\\"\\\\"));
}

}  // namespace
}  // namespace skua
