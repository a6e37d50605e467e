#include <gtest/gtest.h>

#include <job/flight.hpp>

namespace skua {
namespace {

TEST(Flight, IsCountedForItsOwnerWhenNobodyFrozeIt) {
  Flight flight;
  flight.start({3, 9}, 100, 200);
  ASSERT_TRUE(flight.look());
  EXPECT_EQ(flight.look()->granules, (Interval{3, 9}));
  EXPECT_EQ(flight.look()->forecast_end_ns, 200);
  EXPECT_FALSE(flight.drop().now());
  EXPECT_EQ(flight.finish(), Flight::End::counted);
  EXPECT_TRUE(flight.reusable());
  EXPECT_FALSE(flight.look());
}

TEST(Flight, CannotBeFrozenByOneWhoSawAnEarlierLaunch) {
  Flight flight;
  flight.start({0, 1}, 0, 1);
  const auto seen = flight.look();
  flight.finish();
  flight.start({5, 6}, 0, 1);
  EXPECT_FALSE(flight.freeze(*seen));
  EXPECT_EQ(flight.finish(), Flight::End::counted);
}

TEST(Flight, IsReplacedWhenItsCopiesAreDoneFirst) {
  Flight flight;
  flight.start({0, 1}, 0, 1);
  ASSERT_TRUE(flight.freeze(*flight.look()));
  EXPECT_FALSE(flight.reusable());
  EXPECT_FALSE(flight.drop().now()) << "the race is open";
  EXPECT_TRUE(flight.settle());
  EXPECT_TRUE(flight.drop().now());
  EXPECT_FALSE(flight.settle());
  EXPECT_EQ(flight.finish(), Flight::End::replaced);
}

TEST(Flight, StillBelongsToItsOwnerWhenFrozenButNotSettled) {
  Flight flight;
  flight.start({0, 1}, 0, 1);
  ASSERT_TRUE(flight.freeze(*flight.look()));
  EXPECT_EQ(flight.finish(), Flight::End::counted);
  EXPECT_TRUE(flight.drop().now()) << "its copies need not go on";
  EXPECT_FALSE(flight.settle());
  EXPECT_FALSE(flight.reusable()) << "others may still look at it";
}

TEST(Flight, ThatIsInterruptedBelongsToItsOwnerWhateverItsCopiesDo) {
  for (const bool frozen : {false, true}) {
    Flight flight;
    flight.start({0, 1}, 0, 1);
    if (frozen) {
      ASSERT_TRUE(flight.freeze(*flight.look()));
    }
    flight.interrupt();
    EXPECT_TRUE(flight.drop().now());
    EXPECT_FALSE(flight.settle());
    EXPECT_TRUE(flight.was_interrupted());
    EXPECT_EQ(flight.finish(), Flight::End::interrupted);
  }
}

TEST(Flight, ThatWasAskedBelongsToItsOwnerUntilCopiesAreDone) {
  for (const bool are_done : {false, true}) {
    Flight flight;
    flight.start({0, 9}, 0, 1);
    ASSERT_TRUE(flight.ask_for_rest(*flight.look()));
    EXPECT_TRUE(flight.drop().now());
    EXPECT_FALSE(flight.is_decided());
    ASSERT_TRUE(flight.look()->is_asked);
    EXPECT_FALSE(flight.ask_for_rest(*flight.look())) << "once is enough";
    ASSERT_TRUE(flight.freeze(*flight.look())) << "it does not stop";
    if (are_done) {
      EXPECT_TRUE(flight.settle());
    }
    EXPECT_EQ(flight.finish(), are_done ? Flight::End::replaced : Flight::End::counted);
    EXPECT_FALSE(flight.settle());
    EXPECT_FALSE(flight.reusable());
  }
}

TEST(Flight, IsNotInterruptedAfterItsEnd) {
  Flight flight;
  flight.start({0, 1}, 0, 1);
  flight.finish();
  flight.interrupt();
  EXPECT_FALSE(flight.was_interrupted());
  EXPECT_TRUE(flight.reusable());
}

TEST(Flight, ThatWasReplacedIsNotInterruptedAnyMore) {
  Flight flight;
  flight.start({0, 1}, 0, 1);
  ASSERT_TRUE(flight.freeze(*flight.look()));
  ASSERT_TRUE(flight.settle());
  flight.interrupt();
  EXPECT_EQ(flight.finish(), Flight::End::replaced);
}

}  // namespace
}  // namespace skua
