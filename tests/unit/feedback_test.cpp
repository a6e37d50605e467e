#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <decide/feedback.hpp>

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
  EXPECT_EQ(feedback.hiding_items(1), 1u);
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

TEST(Feedback, BelievesTheThirdOfThreeSamplesThatAgree) {
  for (const double factor : {1e-3, 1e-1, 1e1, 1e3}) {
    Feedback feedback = with_rate_of_a_million();
    const double work = 1000 * factor;
    for (int i = 0; i < 2; ++i) feedback.add_chunk(work, millisecond_ns);
    EXPECT_GT(std::abs(*feedback.items_per_second() / (1e6 * factor) - 1), 0.1) << "two may be outliers";
    feedback.add_chunk(work, millisecond_ns);
    EXPECT_NEAR(*feedback.items_per_second() / (1e6 * factor), 1, 1e-6) << factor;
  }
}

TEST(Feedback, BelievesAtOnceWhatANewJobsChunksTakeHoweverShort) {
  Feedback feedback = with_rate_of_a_million();
  feedback.begin_job();
  for (int i = 0; i < 3; ++i) feedback.add_chunk(1000, 1000);
  EXPECT_NEAR(*feedback.items_per_second() / 1e9, 1, 1e-6);
}

TEST(Feedback, TakesAFewCheapItemsForNoFasterDevice) {
  Feedback feedback = with_rate_of_a_million();
  for (int i = 0; i < 10; ++i) feedback.add_chunk(1000, millisecond_ns);
  for (int i = 0; i < 4; ++i) feedback.add_chunk(100, 1000);
  EXPECT_NEAR(*feedback.items_per_second() / 1e6, 1, 0.05);
}

TEST(Feedback, TakesTheFirstChunkOfADoubtedLoopForWhatItShows) {
  Feedback feedback = with_rate_of_a_million();
  feedback.begin_job(true);
  feedback.add_chunk(10, 100 * millisecond_ns);
  EXPECT_NEAR(*feedback.items_per_second(), 100, 1e-6);
}

TEST(Feedback, FindsWhatFillsADeviceWhereFewerItemsTakeAsLong) {
  Feedback feedback;
  const auto run = [&](std::uint64_t items) {
    feedback.look_for_filling(items, static_cast<std::int64_t>(std::max<std::uint64_t>(items, 100)) * 10'000);
  };
  run(20);
  EXPECT_EQ(feedback.filling_items(), 1u);
  run(60);
  EXPECT_EQ(feedback.filling_items(), 120u) << "more may take no longer, either";
  run(120);
  EXPECT_NEAR(static_cast<double>(feedback.filling_items()), 100, 60);
  run(400);
  EXPECT_NEAR(static_cast<double>(feedback.filling_items()), 100, 1);
}

TEST(Feedback, FindsNothingThatFillsWhereTimeGrowsWithItems) {
  Feedback feedback;
  for (const std::uint64_t items : {10, 40, 20, 160, 5}) {
    feedback.look_for_filling(items, static_cast<std::int64_t>(items) * 10'000);
  }
  EXPECT_EQ(feedback.filling_items(), 1u);
}

TEST(Feedback, BelievesNoOutliersThatDisagree) {
  Feedback feedback = with_rate_of_a_million();
  for (const std::int64_t times : {1'000, 30, 1'000'000}) feedback.add_chunk(1000, times * millisecond_ns);
  EXPECT_GE(*feedback.items_per_second(), 0.25e6);
}

TEST(Feedback, BelievesNothingThatOrdinarySamplesInterrupt) {
  Feedback feedback = with_rate_of_a_million();
  for (int i = 0; i < 6; ++i) feedback.add_chunk(1000, (i % 2 == 0 ? 100 : 1) * millisecond_ns);
  EXPECT_GE(*feedback.items_per_second(), 0.5e6);
}

TEST(Feedback, IsConfirmedByAChunkOfThisJobThatIsAboutAsForecast) {
  Feedback feedback = with_rate_of_a_million();
  feedback.begin_job();
  EXPECT_FALSE(feedback.is_confirmed());
  feedback.add_chunk(1000, 100 * millisecond_ns);
  EXPECT_FALSE(feedback.is_confirmed());
  feedback.add_chunk(1000, 2 * millisecond_ns);
  EXPECT_TRUE(feedback.is_confirmed());
  feedback.begin_job();
  EXPECT_FALSE(feedback.is_confirmed());
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

/// Rounding may add one.
double hiding(const Feedback& feedback, std::uint32_t launches) {
  return static_cast<double>(feedback.hiding_items(launches));
}

TEST(Feedback, HidesWhatADeviceStandsStillBetweenChunks) {
  Feedback feedback = with_rate_of_a_million();
  feedback.add_gap(300'000'000);
  EXPECT_EQ(feedback.hiding_items(2), 1u) << "the first gap loads code, and does not count";
  feedback.add_gap(5'000);
  EXPECT_NEAR(hiding(feedback, 1), 60, 1);
  EXPECT_NEAR(hiding(feedback, 2), 60, 1) << "a second launch does not help against it";
  feedback.add_gap(1'000'000'000);
  EXPECT_LE(feedback.hiding_items(2), 91u) << "an outlier counts as twice the usual at most";
  for (int i = 0; i < 6; ++i) feedback.add_gap(5'000);
  EXPECT_LE(feedback.hiding_items(2), 61u);
}

TEST(Feedback, HidesWhatTheHostSpendsBehindTheOtherLaunch) {
  Feedback feedback = with_rate_of_a_million();
  feedback.add_launch(300'000'000);
  EXPECT_EQ(feedback.hiding_items(1), 1u) << "the first launch loads code, and does not count";
  feedback.add_launch(4'000);
  EXPECT_NEAR(hiding(feedback, 1), 40, 1);
  EXPECT_NEAR(hiding(feedback, 2), 12, 1);
  feedback.add_gap(0);
  for (int i = 0; i < 2; ++i) feedback.add_gap(2'000);
  EXPECT_NEAR(hiding(feedback, 1), 40, 1) << "the larger of both, not their sum";
  EXPECT_NEAR(hiding(feedback, 2), 24, 1);
}

TEST(Feedback, DoesNotTakeAThreadThatWasHeldUpForTheCostOfALaunch) {
  Feedback held_up;
  Feedback plain;
  for (Feedback* const feedback : {&held_up, &plain}) {
    for (int i = 0; i < 3; ++i) feedback->add_chunk(1'000'000, 1'000'000);
    feedback->add_gap(5'000);
  }
  held_up.add_gap(300'000'000);
  plain.add_gap(5'000);
  EXPECT_EQ(held_up.hiding_items(1), plain.hiding_items(1)) << "the second gap, and the first that counts";
}

}  // namespace
}  // namespace skua
