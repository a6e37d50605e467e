#include <gtest/gtest.h>

#include <decide/stealing.hpp>

namespace skua {
namespace {

Victim victim(std::uint32_t device, std::uint32_t left, double rate, std::uint32_t distance) {
  Victim made;
  made.device = device;
  made.left = {0, left};
  made.work_left = left;
  made.work_per_second = rate;
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

TEST(WorkToSteal, FollowsBothRates) {
  EXPECT_DOUBLE_EQ(work_to_steal(victim(1, 100, 1, 1), 1, 0), 50);
  EXPECT_DOUBLE_EQ(work_to_steal(victim(1, 100, 1, 1), 3, 0), 75);
  EXPECT_DOUBLE_EQ(work_to_steal(victim(1, 100, 3, 1), 1, 0), 25);
}

TEST(WorkToSteal, CountsWhatTheVictimStillRuns) {
  Victim busy = victim(1, 100, 1, 1);
  busy.busy_seconds = 1e6;
  EXPECT_DOUBLE_EQ(work_to_steal(busy, 1, 0), 100);
}

TEST(WorkToSteal, IsNoneOfATailThatTheVictimDoesSooner) {
  EXPECT_LT(work_to_steal(victim(1, 1, 100, 1), 1, 0), 0.5);
  EXPECT_EQ(work_to_steal(victim(1, 4, 100, 1), 100, 1.0), 0) << "the launch alone costs the thief more";
}

TEST(WorkToSteal, IsAllOfADeviceThatFailed) {
  Victim failed = victim(1, 17, 100, 1);
  failed.failed = true;
  EXPECT_EQ(work_to_steal(failed, 1, 1e9), 17);
}

}  // namespace
}  // namespace skua
