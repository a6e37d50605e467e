#include <gtest/gtest.h>

#include <job/late_chunk.hpp>

namespace skua {
namespace {

class LateChunks : public testing::Test {
 protected:
  void SetUp() override {
    flight.start({10, 20}, 0, 100);
    flight.freeze(*flight.look());
  }
  Flight flight;
  LateChunk late{flight, {10, 20}};
};

TEST_F(LateChunks, AreHandedOutPieceByPiece) {
  EXPECT_EQ(late.take(4, 0, 1000), (Interval{10, 14}));
  EXPECT_EQ(late.take(100, 0, 1000), (Interval{14, 20}));
  EXPECT_TRUE(late.take(1, 999, 2000).empty());
}

TEST_F(LateChunks, TellHowMuchIsLeftOfThisRoundOrTheNext) {
  EXPECT_EQ(late.left(), 10u);
  late.take(4, 0, 1000);
  EXPECT_EQ(late.left(), 6u);
  late.complete({{10, 14}, 1, {}, 0});
  late.take(5, 0, 1000);
  EXPECT_EQ(late.left(), 1u);
  late.take(1, 0, 1000);
  EXPECT_EQ(late.left(), 6u) << "all that nobody has done yet";
}

TEST_F(LateChunks, CountOnceWhenAllPiecesAreThere) {
  late.take(4, 0, 1000);
  late.take(6, 0, 1000);
  EXPECT_FALSE(late.complete({{14, 20}, 1, {}, 0}));
  EXPECT_TRUE(late.complete({{10, 14}, 2, {}, 0}));
  EXPECT_EQ(flight.finish(), Flight::End::replaced);
  std::vector<std::pair<Interval, std::uint32_t>> seen;
  late.for_each_piece(
      [&](Interval granules, const LateChunk::Piece& piece) { seen.emplace_back(granules, piece.device); });
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], (std::pair<Interval, std::uint32_t>{{10, 14}, 2}));
  EXPECT_EQ(seen[1], (std::pair<Interval, std::uint32_t>{{14, 20}, 1}));
}

TEST_F(LateChunks, DoNotCountWhenTheOriginalWasSooner) {
  EXPECT_EQ(flight.finish(), Flight::End::counted);
  EXPECT_FALSE(late.complete({{10, 20}, 1, {}, 0}));
  EXPECT_TRUE(late.take(1, 0, 1).empty());
}

TEST_F(LateChunks, AreHandedOutAgainWhenACopyIsLateToo) {
  late.take(5, 0, 1000);
  late.take(5, 0, 1000);
  late.complete({{10, 15}, 1, {}, 0});
  EXPECT_TRUE(late.take(10, 999, 2000).empty());
  EXPECT_EQ(late.take(10, 1000, 2000), (Interval{15, 20}));
  EXPECT_TRUE(late.complete({{15, 20}, 2, {}, 0}));
  EXPECT_FALSE(late.complete({{15, 20}, 3, {}, 0})) << "the first copy, at last";
}

TEST_F(LateChunks, AreHandedOutAgainAtOnceWhenACopyFailed) {
  late.take(10, 0, 1000);
  late.abandon();
  EXPECT_EQ(late.take(10, 1, 1000), (Interval{10, 20}));
}

}  // namespace
}  // namespace skua
