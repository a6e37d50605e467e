#include <gtest/gtest.h>

#include <skua/share.hpp>

namespace skua {
namespace {

TEST(Share, IsEmptyAtFirst) {
  Share share;
  EXPECT_TRUE(share.look().empty());
  EXPECT_TRUE(share.take_front(1).empty());
  EXPECT_EQ(share.steal_back(share.look(), 1).outcome, StealOutcome::empty);
}

TEST(Share, GivesTheOwnerItsFrontAndTheThiefItsBack) {
  Share share;
  share.put({10, 20});
  EXPECT_EQ(share.take_front(3), (Interval{10, 13}));
  const Steal steal = share.steal_back(share.look(), 4);
  EXPECT_EQ(steal.outcome, StealOutcome::taken);
  EXPECT_EQ(steal.interval, (Interval{16, 20}));
  EXPECT_EQ(share.look(), (Interval{13, 16}));
}

TEST(Share, GivesNoMoreThanItHolds) {
  Share share;
  share.put({0, 5});
  EXPECT_EQ(share.take_front(~0u), (Interval{0, 5}));
  share.put({5, 7});
  EXPECT_EQ(share.steal_back(share.look(), ~0u).interval, (Interval{5, 7}));
}

TEST(Share, LosingTheRaceSaysLostNotEmpty) {
  Share share;
  share.put({0, 10});
  const Interval seen = share.look();
  share.take_front(1);
  EXPECT_EQ(share.steal_back(seen, 5).outcome, StealOutcome::lost);
  share.take_front(100);
  EXPECT_EQ(share.steal_back(seen, 5).outcome, StealOutcome::empty);
}

TEST(Share, HoldsTheMostGranulesAJobMayHave) {
  Share share;
  const auto most = static_cast<std::uint32_t>(Share::granules_max);
  share.put({0, most});
  EXPECT_EQ(share.take_front(1), (Interval{0, 1}));
  EXPECT_EQ(share.steal_back(share.look(), 1).interval, (Interval{most - 1, most}));
  EXPECT_EQ(share.look().size(), most - 2);
}

TEST(Share, TakesNothingWhenNothingIsWanted) {
  Share share;
  share.put({0, 5});
  EXPECT_TRUE(share.take_front(0).empty());
  EXPECT_EQ(share.steal_back(share.look(), 0).outcome, StealOutcome::empty);
  EXPECT_EQ(share.look().size(), 5u);
}

}  // namespace
}  // namespace skua
