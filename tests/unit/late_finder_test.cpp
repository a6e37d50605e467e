// Late chunks found and handed out, until the Job is stopped.
#include <gtest/gtest.h>

#include <job/late_finder.hpp>

namespace skua {
namespace {

class LateFinders : public testing::Test {
 protected:
  const Granules granules{20, 1};
  RateBoard rates{std::vector<RatedDevice>(2), 0};
  const Work work{granules, PlaceCosts()};
  LateFinder late{granules, work, rates, true, {false, false}};

  LateFinders() {
    for (std::uint32_t device = 0; device < 2; ++device) rates.set_measured(device, 1e6);
  }
};

TEST_F(LateFinders, CopyNothingOnceTheJobIsStopped) {
  Flight* const flight = late.begin(1, {10, 20}, 1, 10);
  ASSERT_NE(flight, nullptr);
  ASSERT_TRUE(late.take(0, 1'000'000'000, 0));
  late.stop();
  EXPECT_TRUE(flight->was_interrupted());
  EXPECT_EQ(late.begin(1, {10, 20}, 1, 10), nullptr);
  EXPECT_FALSE(late.take(0, 3'000'000'000, 0));
}

TEST_F(LateFinders, AskForTheRestOfALongLaunchThatCanStop) {
  LateFinder finder(granules, work, rates, false, {false, true});
  Flight* const flight = finder.begin(1, {10, 20}, 0, 1'000'000'000);
  EXPECT_TRUE(finder.ask_for_rest(0, 1'000, 1e-6));
  EXPECT_TRUE(flight->was_asked());
  EXPECT_TRUE(flight->drop().now());
  EXPECT_FALSE(finder.ask_for_rest(0, 2'000, 1e-6)) << "it was asked already";
  EXPECT_EQ(flight->finish(), Flight::End::interrupted);
  EXPECT_FALSE(flight->reusable());
}

TEST_F(LateFinders, AskNobodyWhoIsDoneSoonOrCannotStop) {
  LateFinder finder(granules, work, rates, false, {true, false});
  ASSERT_NE(finder.begin(1, {10, 20}, 0, 1'000'000'000), nullptr);
  EXPECT_FALSE(finder.ask_for_rest(0, 1'000, 1e-6)) << "the device cannot stop";
  ASSERT_NE(finder.begin(0, {0, 10}, 0, 30'000), nullptr);
  EXPECT_FALSE(finder.ask_for_rest(1, 1'000, 1e-6)) << "it is done in 29 us";
}

TEST_F(LateFinders, CopyWhatWasAskedForItsRestAndDoesNotStop) {
  LateFinder finder(granules, work, rates, true, {false, true});
  Flight* const flight = finder.begin(1, {10, 20}, 0, 1'000'000);
  ASSERT_TRUE(finder.ask_for_rest(0, 1'000, 1e-6));
  EXPECT_FALSE(finder.take(0, 900'000, 1e-6)) << "it has time yet";
  EXPECT_TRUE(finder.take(0, 2'000'000, 1e-6));
  EXPECT_FALSE(flight->drop().now());
}

TEST_F(LateFinders, LeaveOneGranuleAndWhatMayBeCopiedAlone) {
  LateFinder finder(granules, work, rates, true, {false, true});
  ASSERT_NE(finder.begin(1, {10, 11}, 0, 1'000'000'000), nullptr);
  EXPECT_FALSE(finder.ask_for_rest(0, 1'000, 1e-6)) << "one granule has no rest";
  ASSERT_NE(finder.begin(1, {11, 20}, 0, 1'000), nullptr);
  EXPECT_FALSE(finder.ask_for_rest(0, 1'000'000, 1e-6)) << "it is overdue: copies help more";
}

TEST_F(LateFinders, CopyASingleGranuleOnlyWhenItIsLaterThanDearOnesAre) {
  for (int seen = 0; seen < 2; ++seen) rates.saw_granules(50);
  ASSERT_NE(late.begin(1, {10, 11}, 0, 1'000), nullptr);
  EXPECT_FALSE(late.take(0, 30'000, 1e-6)) << "granules of 50 us were seen: it may be one of them";
  EXPECT_GT(*late.next_ns(0, 30'000), 50'000);
  EXPECT_TRUE(late.take(0, 60'000, 1e-6));
}

TEST_F(LateFinders, ForecastCenturiesWithoutOverflow) {
  const Granules many(std::uint64_t{1} << 31, 1);
  for (std::uint32_t device = 0; device < 2; ++device) rates.set_measured(device, 1e-3);
  const Work work_of_many(many, PlaceCosts());
  LateFinder finder(many, work_of_many, rates, true, {false, false});
  ASSERT_NE(finder.begin(1, {0, std::uint32_t{1} << 31}, 1, Flight::no_forecast), nullptr);
  const auto next = finder.next_ns(0, 1'000);
  ASSERT_TRUE(next);
  EXPECT_GT(*next, 900'000'000'000'000'000);
}

}  // namespace
}  // namespace skua
