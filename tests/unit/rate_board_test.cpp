#include <gtest/gtest.h>

#include <job/rate_board.hpp>

namespace skua {
namespace {

TEST(RateBoard, GuessesByWhatTheGuessesOfOthersWereWorth) {
  RateBoard board({{1, 100.0, true}, {3, std::nullopt, true}}, 0);
  EXPECT_DOUBLE_EQ(board.rate(1), 300);
  EXPECT_DOUBLE_EQ(board.mean_rate(), 200);
  EXPECT_DOUBLE_EQ(board.live_rate(), 400);
  board.set_measured(1, 100);
  EXPECT_DOUBLE_EQ(board.rate(1), 100);
  EXPECT_DOUBLE_EQ(board.mean_rate(), 100);
}

TEST(RateBoard, LeavesRetiredDevicesOutOfTheMean) {
  RateBoard board({{1, 100.0, true}, {1, 300.0, true}, {1, std::nullopt, false}}, 0);
  EXPECT_DOUBLE_EQ(board.live_rate(), 400);
  board.retire(1);
  EXPECT_DOUBLE_EQ(board.mean_rate(), 100);
  EXPECT_FALSE(board.all_retired());
  board.retire(0);
  EXPECT_TRUE(board.all_retired());
}

TEST(RateBoard, ForecastsNothingWhileNothingIsMeasured) {
  RateBoard board({{1, std::nullopt, true}, {1, std::nullopt, true}}, 0);
  EXPECT_FALSE(board.any_measured());
  EXPECT_FALSE(board.end_ns(100, 0));
  board.set_measured(0, 10);
  ASSERT_TRUE(board.end_ns(100, 0));
  EXPECT_EQ(*board.end_ns(100, 0), 5'000'000'000);
}

TEST(RateBoard, CountsADeviceThatIsLateAsBusyForAsLongAgain) {
  RateBoard board({{1, 1.0, true}}, 0);
  board.set_busy_until(0, 1'000'000'000);
  EXPECT_DOUBLE_EQ(board.seconds_busy(0, 400'000'000), 0.6);
  EXPECT_DOUBLE_EQ(board.seconds_busy(0, 3'000'000'000), 2);
}

TEST(RateBoard, KnowsThatOthersShareWorkButNoPieceOfIt) {
  RateBoard board({{1, 100.0, true}, {1, 100.0, true}, {1, 50.0, true}}, 1);
  for (std::uint32_t device = 0; device < 3; ++device) board.set_busy_until(device, 1);
  EXPECT_DOUBLE_EQ(board.seconds_without(0, 300, 10, 1), 2);
  EXPECT_DOUBLE_EQ(board.seconds_without(0, 300, 250, 1), 2.5) << "the fastest of the others takes all of it";
}

TEST(RateBoard, CountsDevicesThatAreNoMatchForTheFastestForNone) {
  RateBoard board({{1, 160.0, true}, {1, 80.0, true}, {1, 10.0, true}, {1, 9.0, true}}, 0);
  EXPECT_EQ(board.counting(), 3u);
  board.retire(1);
  EXPECT_EQ(board.counting(), 2u);
  board.set_measured(3, 1000);
  EXPECT_EQ(board.counting(), 2u) << "160 and 1000";
}

TEST(RateBoard, BelievesInDearGranulesWhenItHasSeenTwo) {
  RateBoard board({{1, 1.0, true}}, 0);
  board.saw_granules(1);
  EXPECT_DOUBLE_EQ(board.dearest_granule(), 0);
  board.saw_granules(1000);
  EXPECT_DOUBLE_EQ(board.dearest_granule(), 1) << "a device that stood still once makes no granule dear";
  board.saw_granules(50);
  board.saw_granules(3);
  EXPECT_DOUBLE_EQ(board.dearest_granule(), 50);
}

TEST(RateBoard, KeepsMomentsThatLieCenturiesAheadFromOverflowing) {
  EXPECT_GT(moment_after(5, 1e30), 900'000'000'000'000'000);
  EXPECT_EQ(moment_after(5, 1e-9), 6);
}

}  // namespace
}  // namespace skua
