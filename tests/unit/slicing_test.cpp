#include <gtest/gtest.h>

#include <vector>

#include <skua/detail/slicing.hpp>

namespace skua {
namespace {

TEST(Slicing, GivesEveryItemOfAChunkToOneSlice) {
  for (const std::uint64_t granule : {1u, 2u, 31u, 33u, 255u, 256u, 257u, 1000u, 5000u, 70'001u}) {
    const Slicing slicing(granule);
    for (const std::uint64_t items : {granule, 3 * granule, 3 * granule - granule / 2, 2 * granule + 1}) {
      Chunk chunk;
      chunk.end = items;
      chunk.granule = granule;
      std::vector<unsigned> runs(items);
      std::vector<std::uint32_t> filled(chunk.granules());
      for (std::uint64_t unit = 0; unit < slicing.units(chunk); ++unit) {
        const Slice slice(slicing, unit, items);
        for (std::uint64_t i = 0; i < slice.items; ++i) {
          ASSERT_EQ((slice.first + i) / granule, slice.granule);
          ++runs[slice.first + i];
        }
        if (slice.items > 0) ++filled[slice.granule];
        if (slice.items > 0 && filled[slice.granule] == slice.filled) filled[slice.granule] += 1000;
      }
      for (const unsigned count : runs) ASSERT_EQ(count, 1u) << granule << " of " << items;
      for (const std::uint32_t count : filled)
        EXPECT_GE(count, 1000u) << "the last slice to come knows that it is last";
    }
  }
}

TEST(Slicing, HasTeamsThatRunInLockstepAndFillABlock) {
  for (std::uint64_t granule = 1; granule < 100'000; granule = granule * 3 / 2 + 1) {
    const Slicing slicing(granule);
    EXPECT_LE(slicing.team_threads, Slicing::team_threads_max);
    EXPECT_EQ(slicing.team_threads & (slicing.team_threads - 1), 0u);
    EXPECT_EQ(slicing.team_threads * slicing.teams_in_block(), Slicing::block_threads);
    EXPECT_GE(slicing.slice_items * slicing.slices, granule);
    if (slicing.slices > 1) {
      EXPECT_EQ(slicing.team_threads, Slicing::team_threads_max);
    }
  }
}

TEST(Slicing, OfTheLargestGranuleThereCanBeDoesNotOverflow) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const Slicing slicing(most);
  EXPECT_EQ(slicing.slices, Slicing::slices_max);
  EXPECT_EQ(slicing.slice_items, (most >> 8) + 1);
  EXPECT_EQ(slicing.thread_items(), (most >> 13) + 1);
  std::uint64_t items = 0;
  for (std::uint64_t unit = 0; unit < slicing.slices; ++unit) {
    const Slice slice(slicing, unit, most);
    EXPECT_EQ(slice.filled, slicing.slices);
    items += slice.items;
  }
  EXPECT_EQ(items, most);
}

TEST(GridBlocks, StayBelowTwoToThe32WorkItems) {
  constexpr std::uint64_t many = std::uint64_t{1} << 40;
  EXPECT_EQ(grid_blocks(16'777'215, many), 16'777'215u);
  EXPECT_EQ(grid_blocks(16'777'216, many), 16'777'215u);
  EXPECT_LT(grid_blocks(many, many) * Slicing::block_threads, std::uint64_t{1} << 32);
}

TEST(GridBlocks, AreNoMoreThanTheGpuHoldsAndAtLeastOne) {
  EXPECT_EQ(grid_blocks(1000, 264), 264u);
  EXPECT_EQ(grid_blocks(100, 264), 100u);
  EXPECT_EQ(grid_blocks(100, 0), 1u);
}

}  // namespace
}  // namespace skua
