#include <gtest/gtest.h>

#include <limits>

#include <skua/input.hpp>
#include <skua/policy.hpp>

namespace skua {
namespace {

ChunkQuestion question(std::uint64_t left, double weight = 1) {
  ChunkQuestion asked;
  asked.job_items = 8'000'000;
  asked.devices = 8;
  asked.items_left = left;
  asked.share_items = left / 8;
  asked.weight = weight;
  asked.smallest_items = 10;
  return asked;
}

std::uint64_t next(const char* policy, const ChunkQuestion& asked) {
  return make_chunk_policy(policy)->next_items(asked);
}

TEST(Factoring, StartsWithAnEighthOfAnEvenShare) {
  EXPECT_EQ(next("factoring", question(8'000'000)), 125'000u);
}

TEST(Factoring, ShrinksWithWhatIsLeftAndGrowsWithTheRate) {
  EXPECT_EQ(next("factoring", question(320'000)), 10'000u);
  EXPECT_EQ(next("factoring", question(320'000, 0.5)), 5'000u);
  EXPECT_EQ(next("factoring", question(320'000, 2)), 20'000u);
}

TEST(Factoring, NeverExceedsItsFirstChunk) {
  EXPECT_EQ(next("factoring", question(8'000'000, 100)), 125'000u);
}

TEST(Factoring, SharesAChunkOutToTheLaunchesThatMakeItUp) {
  ChunkQuestion asked = question(320'000);
  asked.launches = 2;
  EXPECT_EQ(next("factoring", asked), 5'000u);
  asked.smallest_items = 8'000;
  EXPECT_EQ(next("factoring", asked), 8'000u) << "but not below what hides a launch";
}

TEST(Factoring, NeverGivesLessThanHidesALaunch) {
  EXPECT_EQ(next("factoring", question(40)), 10u);
  EXPECT_EQ(next("factoring", question(40, 0)), 10u);
}

TEST(Factoring, GivesTheSmallestChunkForAWeightThatIsNone) {
  EXPECT_EQ(next("factoring", question(320'000, std::numeric_limits<double>::quiet_NaN())), 10u);
  EXPECT_EQ(next("factoring", question(320'000, -1)), 10u);
}

TEST(Factoring, LeavesNoRestThatIsTooSmallForAChunk) {
  ChunkQuestion asked = question(40);
  asked.share_items = 14;
  EXPECT_EQ(next("factoring", asked), 14u);
  asked.share_items = 15;
  EXPECT_EQ(next("factoring", asked), 10u) << "half of the smallest chunk is one";
}

TEST(Factoring, TakesAtLeast1024ItemsAsTheLargestChunk) {
  ChunkQuestion small = question(6400);
  small.job_items = 6400;
  small.weight = 100;
  EXPECT_EQ(next("factoring", small), 1024u);
}

TEST(Factoring, WorksForTheLargestLoop) {
  ChunkQuestion huge = question(0);
  huge.job_items = huge.items_left = ~std::uint64_t{0};
  huge.weight = 1e6;
  EXPECT_EQ(next("factoring", huge), ~std::uint64_t{0} / 64);
}

TEST(Formula, KeepsOneSize) {
  EXPECT_EQ(next("formula", question(8'000'000)), 125'000u);
  EXPECT_EQ(next("formula", question(1)), 125'000u);
}

TEST(Guided, TakesHalfOfAnEvenPartOfWhatIsLeft) {
  EXPECT_EQ(next("guided", question(160'000)), 10'000u);
  EXPECT_EQ(next("guided", question(1)), 10u);
}

TEST(Fixed, TakesWhatItWasTold) {
  EXPECT_EQ(next("fixed:777", question(160'000)), 777u);
  EXPECT_EQ(next("fixed:2e3", question(160'000)), 2000u);
  EXPECT_EQ(next("fixed", question(160'000)), 15'625u);
}

TEST(Static, TakesTheWholeShareAndForbidsStealing) {
  EXPECT_EQ(next("static", question(160'000)), 20'000u);
  EXPECT_FALSE(make_chunk_policy("static")->steals());
  EXPECT_TRUE(make_chunk_policy("factoring")->steals());
}

TEST(Policies, AreRefusedWithTheNameAtFault) {
  for (const char* wrong : {"", "magic", "fixed:0", "fixed:x", "fixed:-1", "static:3", "Factoring"}) {
    try {
      make_chunk_policy(wrong);
      FAIL() << wrong;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(wrong), std::string::npos) << error.what();
    }
  }
}

TEST(Policies, CanBeAddedFromOutside) {
  class OneItem final : public ChunkPolicy {
    std::uint64_t next_items(const ChunkQuestion&) const override { return 1; }
  };
  register_chunk_policy("one-item", [](const std::string&) { return std::make_unique<OneItem>(); });
  EXPECT_EQ(next("one-item", question(100)), 1u);
  EXPECT_THROW(register_chunk_policy("one-item", nullptr), InputError);
}

}  // namespace
}  // namespace skua
