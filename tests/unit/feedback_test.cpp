#include <gtest/gtest.h>

#include <skua/feedback.hpp>

namespace skua {
namespace {

constexpr std::int64_t millisecond_ns = 1'000'000;

Feedback with_rate_of_a_million() {
  Feedback feedback;
  feedback.add_chunk(1000, 300 * millisecond_ns);
  feedback.add_chunk(1000, millisecond_ns);
  return feedback;
}

TEST(Feedback, KnowsNothingBeforeTheSecondChunk) {
  Feedback feedback;
  EXPECT_FALSE(feedback.items_per_second());
  EXPECT_EQ(feedback.hiding_items(), 1u);
  feedback.add_chunk(1000, 300 * millisecond_ns);
  EXPECT_FALSE(feedback.items_per_second()) << "the first chunk loads code, and does not count";
  feedback.add_chunk(1000, millisecond_ns);
  EXPECT_DOUBLE_EQ(*feedback.items_per_second(), 1e6);
}

TEST(Feedback, LetsOneSampleMoveTheRateByHalfOfTwiceAtMost) {
  Feedback feedback = with_rate_of_a_million();
  feedback.add_chunk(1000, 200 * millisecond_ns);
  EXPECT_DOUBLE_EQ(*feedback.items_per_second(), 0.75e6);
  feedback = with_rate_of_a_million();
  feedback.add_chunk(1'000'000, millisecond_ns);
  EXPECT_DOUBLE_EQ(*feedback.items_per_second(), 1.5e6);
}

TEST(Feedback, ForgetsASpikeWithinAFewChunks) {
  Feedback feedback = with_rate_of_a_million();
  feedback.add_chunk(1000, 200 * millisecond_ns);
  for (int i = 0; i < 4; ++i) feedback.add_chunk(1000, millisecond_ns);
  EXPECT_NEAR(*feedback.items_per_second(), 1e6, 0.02e6);
}

TEST(Feedback, FollowsARealDropWithinAFewChunks) {
  Feedback feedback = with_rate_of_a_million();
  for (int i = 0; i < 8; ++i) feedback.add_chunk(1000, 4 * millisecond_ns);
  EXPECT_NEAR(*feedback.items_per_second(), 0.25e6, 0.01e6);
}

TEST(Feedback, LeavesOutSamplesThatSayNothing) {
  Feedback feedback = with_rate_of_a_million();
  feedback.add_chunk(0, millisecond_ns);
  feedback.add_chunk(1000, 0);
  feedback.add_chunk(1000, -5);
  EXPECT_DOUBLE_EQ(*feedback.items_per_second(), 1e6);
}

TEST(Feedback, HidesALaunchBehindTenTimesItsCost) {
  Feedback feedback = with_rate_of_a_million();
  feedback.add_overhead(300'000'000);
  EXPECT_EQ(feedback.hiding_items(), 1u) << "the first launch loads code, and does not count";
  feedback.add_overhead(5'000);
  EXPECT_EQ(feedback.hiding_items(), 50u);
  feedback.add_overhead(1'000'000'000);
  EXPECT_LE(feedback.hiding_items(), 76u) << "an outlier counts as twice the usual at most";
  for (int i = 0; i < 6; ++i) feedback.add_overhead(5'000);
  EXPECT_LE(feedback.hiding_items(), 51u);
}

}  // namespace
}  // namespace skua
