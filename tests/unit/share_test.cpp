#include <gtest/gtest.h>

#include <job/share.hpp>

namespace skua {
namespace {

class ShareOfADevice : public testing::Test {
 protected:
  Share::Word word{0};
  Share share{word};
};

TEST_F(ShareOfADevice, IsEmptyAtFirst) {
  EXPECT_TRUE(share.look().empty());
  EXPECT_TRUE(share.take_front(1).empty());
  EXPECT_EQ(share.steal_back(share.look(), 1).outcome, StealOutcome::empty);
}

TEST_F(ShareOfADevice, GivesTheOwnerItsFrontAndTheThiefItsBack) {
  share.put({10, 20});
  EXPECT_EQ(share.take_front(3), (Interval{10, 13}));
  const Steal steal = share.steal_back(share.look(), 4);
  EXPECT_EQ(steal.outcome, StealOutcome::taken);
  EXPECT_EQ(steal.interval, (Interval{16, 20}));
  EXPECT_EQ(share.look(), (Interval{13, 16}));
}

TEST_F(ShareOfADevice, GivesNoMoreThanItHolds) {
  share.put({0, 5});
  EXPECT_EQ(share.take_front(~0u), (Interval{0, 5}));
  share.put({5, 7});
  EXPECT_EQ(share.steal_back(share.look(), ~0u).interval, (Interval{5, 7}));
}

TEST_F(ShareOfADevice, LosingTheRaceSaysLostNotEmpty) {
  share.put({0, 10});
  const Interval seen = share.look();
  share.take_front(1);
  EXPECT_EQ(share.steal_back(seen, 5).outcome, StealOutcome::lost);
  share.take_front(100);
  EXPECT_EQ(share.steal_back(seen, 5).outcome, StealOutcome::empty);
}

TEST_F(ShareOfADevice, HoldsTheMostGranulesAJobMayHave) {
  const auto most = static_cast<std::uint32_t>(Share::granules_max);
  share.put({0, most});
  EXPECT_EQ(share.take_front(1), (Interval{0, 1}));
  EXPECT_EQ(share.steal_back(share.look(), 1).interval, (Interval{most - 1, most}));
  EXPECT_EQ(share.look().size(), most - 2);
}

TEST_F(ShareOfADevice, TakesNothingWhenNothingIsWanted) {
  share.put({0, 5});
  EXPECT_TRUE(share.take_front(0).empty());
  EXPECT_EQ(share.steal_back(share.look(), 0).outcome, StealOutcome::empty);
  EXPECT_EQ(share.look().size(), 5u);
}

}  // namespace
}  // namespace skua
