#include <gtest/gtest.h>

#include <job/granules.hpp>
#include <skua/input.hpp>
#include <skua/kernel.hpp>

namespace skua {
namespace {

constexpr std::uint64_t most = ~std::uint64_t{0};

TEST(Granules, CountAShortLastOne) {
  const Granules granules(10, 4);
  EXPECT_EQ(granules.count(), 3u);
  EXPECT_EQ(granules.items_in({0, 2}), 8u);
  EXPECT_EQ(granules.items_in({1, 3}), 6u);
  EXPECT_EQ(granules.range({2, 3}), (ItemRange{8, 10}));
  EXPECT_EQ(granules.items_in({2, 2}), 0u);
}

TEST(Granules, DoNotWrapInTheLargestLoops) {
  const Granules granules(most, (std::uint64_t{1} << 33) + (std::uint64_t{1} << 20));
  EXPECT_EQ(granules.items_in(granules.all()), most);
  EXPECT_EQ(granules.range(granules.all()).end, most);
  EXPECT_EQ(Granules(most, most).count(), 1u);
}

TEST(Granules, AreRefusedWhenThereAreTooManyOrTheyHoldNothing) {
  EXPECT_THROW(Granules(std::uint64_t{1} << 32, 1), InputError);
  EXPECT_THROW(Granules(5, 0), InputError);
  EXPECT_EQ(Granules(0, 1).count(), 0u);
}

TEST(Granules, OfAChunkAreCountedRightUpToTheEndOfAll) {
  Chunk chunk;
  chunk.end = most;
  chunk.granule = most;
  EXPECT_EQ(chunk.granules(), 1u);
  chunk.granule = most - 1;
  EXPECT_EQ(chunk.granules(), 2u);
  chunk.begin = most - 5;
  chunk.granule = 2;
  EXPECT_EQ(chunk.granules(), 3u);
}

}  // namespace
}  // namespace skua
