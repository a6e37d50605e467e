#include <gtest/gtest.h>

#include <decide/stealing.hpp>

namespace skua {
namespace {

Victim victim(std::uint32_t device, std::uint32_t left, double rate, std::uint32_t distance) {
  Victim made;
  made.device = device;
  made.left = {0, left};
  made.granules_per_second = rate;
  made.distance = distance;
  return made;
}

TEST(VictimChoice, TakesTheRichestByTimeLeftNotByGranules) {
  const auto chosen = choose_victim({victim(1, 1000, 1000, 1), victim(2, 300, 10, 2)});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->device, 2u);
}

TEST(VictimChoice, PrefersTheNearestAmongThoseAboutAsRich) {
  EXPECT_EQ(choose_victim({victim(1, 100, 1, 3), victim(2, 60, 1, 1), victim(3, 70, 1, 2)})->device, 2u);
}

TEST(VictimChoice, PassesOverTheNearestWhenItIsPoor) {
  EXPECT_EQ(choose_victim({victim(1, 100, 1, 3), victim(2, 40, 1, 1)})->device, 1u);
}

TEST(VictimChoice, FindsNothingWhenAllAreEmpty) {
  EXPECT_FALSE(choose_victim({}));
  EXPECT_FALSE(choose_victim({victim(1, 0, 1, 1)}));
}

TEST(VictimChoice, TakesFirstFromADeviceThatFailed) {
  Victim failed = victim(1, 1, 1e9, 5);
  failed.failed = true;
  EXPECT_EQ(choose_victim({failed, victim(2, 1000, 1, 1)})->device, 1u);
}

TEST(StealSize, FollowsBothRates) {
  EXPECT_EQ(steal_size(victim(1, 100, 1, 1), 1, 0), 50u);
  EXPECT_EQ(steal_size(victim(1, 100, 1, 1), 3, 0), 75u);
  EXPECT_EQ(steal_size(victim(1, 100, 3, 1), 1, 0), 25u);
}

TEST(StealSize, CountsWhatTheVictimStillRuns) {
  Victim busy = victim(1, 100, 1, 1);
  busy.busy_seconds = 1e6;
  EXPECT_EQ(steal_size(busy, 1, 0), 100u);
}

TEST(StealSize, LeavesATailThatTheVictimDoesSooner) {
  EXPECT_EQ(steal_size(victim(1, 1, 100, 1), 1, 0), 0u);
  EXPECT_EQ(steal_size(victim(1, 4, 100, 1), 100, 1.0), 0u) << "the launch alone costs the thief more";
}

TEST(StealSize, TakesASingleGranuleFromADeviceThatIsSlow) {
  EXPECT_EQ(steal_size(victim(1, 1, 0.01, 1), 1, 0), 1u);
}

TEST(StealSize, TakesEverythingFromADeviceThatFailed) {
  Victim failed = victim(1, 17, 100, 1);
  failed.failed = true;
  EXPECT_EQ(steal_size(failed, 1, 1e9), 17u);
}

}  // namespace
}  // namespace skua
