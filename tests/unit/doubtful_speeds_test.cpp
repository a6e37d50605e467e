// Measured speeds that are hardly those of links.
#include <graph/doubtful_speeds.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skua {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Three GPUs that links of one kind join; 45 GB/s between them, 27 from the host, 900 within.
MeasuredSpeeds three_gpus(LinkKind kind = LinkKind::xgmi) {
  MeasuredSpeeds speeds(3);
  for (std::size_t from = 0; from < 3; ++from) {
    for (std::size_t to = 0; to < 3; ++to) speeds.at(from, to) = {from == to ? 900.0 : 45.0, kind};
  }
  speeds.host_rows = {{27.0, 27.1, 26.9}, {26.5, 27.1, 27.0}};
  return speeds;
}

std::vector<std::string> words(const MeasuredSpeeds& speeds) {
  std::vector<std::string> result;
  for (const Doubt& doubt : doubtful_speeds(speeds)) {
    result.push_back(std::to_string(doubt.from.index) + " to " + (doubt.to ? std::to_string(doubt.to->index) : "all") +
                     ": " + doubt.why);
  }
  return result;
}

TEST(DoubtfulSpeeds, OrdinaryOnesAreNotDoubted) {
  EXPECT_THAT(words(three_gpus()), IsEmpty());
  EXPECT_THAT(words(MeasuredSpeeds(0)), IsEmpty());
  EXPECT_THAT(words(MeasuredSpeeds(4)), IsEmpty());
  auto speeds = three_gpus();
  speeds.at(0, 1).gb_per_s = 180;
  speeds.at(1, 0).gb_per_s = 20;
  EXPECT_THAT(words(speeds), IsEmpty());
}

TEST(DoubtfulSpeeds, ARowThatRepeatsAnyOfTheHostsIs) {
  auto speeds = three_gpus();
  speeds.at(1, 0).gb_per_s = 26.5;
  speeds.at(1, 2).gb_per_s = 27.01;
  EXPECT_THAT(words(speeds), ElementsAre(HasSubstr("1 to all: its speeds to other GPUs repeat those of copies from")));
  // What is not known is nothing that differs.
  speeds.at(1, 0).gb_per_s.reset();
  EXPECT_THAT(words(speeds), ElementsAre(HasSubstr("1 to all")));
  speeds.at(1, 2).gb_per_s.reset();
  EXPECT_THAT(words(speeds), IsEmpty());
}

TEST(DoubtfulSpeeds, OverPcieAGpuMayBeAsFarAsTheHost) {
  auto speeds = three_gpus(LinkKind::pcie);
  speeds.at(1, 0).gb_per_s = 26.5;
  speeds.at(1, 2).gb_per_s = 27.0;
  EXPECT_THAT(words(speeds), IsEmpty());
  // But nothing is as far from itself.
  speeds.at(1, 1).gb_per_s = 27.1;
  EXPECT_THAT(words(speeds), ElementsAre(HasSubstr("1 to all")));
}

TEST(DoubtfulSpeeds, BothDirectionsAreWhereOneIsTenTimesTheOther) {
  auto speeds = three_gpus();
  speeds.at(0, 2).gb_per_s = 4.5;
  EXPECT_THAT(words(speeds), ElementsAre("0 to 2: 4.5 GB/s, and 45.0 back", "2 to 0: 45.0 GB/s, and 4.5 back"));
  speeds.at(0, 2).gb_per_s = 4.6;
  EXPECT_THAT(words(speeds), IsEmpty());
}

TEST(DoubtfulSpeeds, AJoinedPairThatIsFarBelowTheHostIs) {
  auto speeds = three_gpus();
  speeds.at(0, 2).gb_per_s = 2.5;
  speeds.at(2, 0).gb_per_s = 2.5;
  EXPECT_THAT(words(speeds), ElementsAre("0 to 2: 2.5 GB/s over links, where copies from the host reach 27.0",
                                         "2 to 0: 2.5 GB/s over links, where copies from the host reach 27.0"));
  auto over_pcie = three_gpus(LinkKind::pcie);
  over_pcie.at(0, 2).gb_per_s = 2.5;
  over_pcie.at(2, 0).gb_per_s = 2.5;
  EXPECT_THAT(words(over_pcie), IsEmpty());
}

TEST(DoubtfulSpeeds, AsMuchAsWithinAGpuIsButForPartitionsOfOne) {
  auto speeds = three_gpus();
  speeds.at(0, 1).gb_per_s = 880;
  speeds.at(1, 0).gb_per_s = 880;
  EXPECT_THAT(words(speeds), ElementsAre("0 to 1: 880.0 GB/s, where copies within a GPU reach 900.0",
                                         "1 to 0: 880.0 GB/s, where copies within a GPU reach 900.0"));
  speeds.at(0, 1).kind = speeds.at(1, 0).kind = LinkKind::package;
  EXPECT_THAT(words(speeds), IsEmpty());
}

}  // namespace
}  // namespace skua
