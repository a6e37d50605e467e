#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gpu/rounds.hpp>

namespace skua {
namespace {

/// Piece by piece: runs what the warps ran, and looks at every granule.
std::vector<bool> whole_by_counting(const GpuRounds& dealt, const std::vector<std::uint64_t>& rounds_done) {
  const std::uint64_t granules = (dealt.pieces - 1) / dealt.pieces_in_granule + 1;
  std::vector<bool> whole(granules, true);
  for (std::uint64_t piece = 0; piece < dealt.pieces; ++piece) {
    const std::uint64_t round = piece / dealt.stride;
    const std::uint64_t warp = piece % dealt.stride / dealt.width;
    if (round >= rounds_done[warp]) whole[piece / dealt.pieces_in_granule] = false;
  }
  return whole;
}

void expect_exact(const GpuRounds& dealt, const std::vector<std::uint64_t>& rounds_done) {
  const std::vector<bool> expected = whole_by_counting(dealt, rounds_done);
  std::vector<bool> found(expected.size(), false);
  std::uint64_t before = 0;
  bool is_first = true;
  for (const GranuleRange& range : granules_run_whole(dealt, rounds_done)) {
    ASSERT_LT(range.first, range.last);
    ASSERT_LE(range.last, expected.size());
    ASSERT_TRUE(is_first || range.first > before) << "in order, and not touching";
    std::fill(found.begin() + static_cast<std::ptrdiff_t>(range.first),
              found.begin() + static_cast<std::ptrdiff_t>(range.last), true);
    before = range.last;
    is_first = false;
  }
  ASSERT_EQ(found, expected) << dealt.pieces << " pieces, " << dealt.pieces_in_granule << " a granule, stride "
                             << dealt.stride << ", width " << dealt.width;
}

TEST(GpuRounds, SayWhatCountingPieceByPieceSays) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::uint64_t end) { return random() % end; };
  for (int trial = 0; trial < 4'000; ++trial) {
    GpuRounds dealt;
    dealt.width = std::uint64_t{1} << below(6);
    dealt.stride = dealt.width * (1 + below(24));
    dealt.pieces = 1 + below(5'000);
    dealt.pieces_in_granule = 1 + below(trial % 2 == 0 ? 40 : dealt.pieces);
    const std::uint64_t rounds = (dealt.pieces - 1) / dealt.stride + 1;
    const std::uint64_t least = below(rounds + 1);
    std::vector<std::uint64_t> rounds_done(warp_count(dealt));
    for (std::uint64_t& done : rounds_done) {
      done = below(4) == 0 ? all_rounds : least + below(rounds + 1 - least);
    }
    expect_exact(dealt, rounds_done);
  }
}

TEST(GpuRounds, AreAllWholeWhenNoWarpStoppedEarly) {
  const GpuRounds dealt{1'000, 7, 64, 32};
  const auto ranges = granules_run_whole(dealt, std::vector<std::uint64_t>(2, all_rounds));
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].first, 0u);
  EXPECT_EQ(ranges[0].last, 143u);
}

TEST(GpuRounds, AreNoneWhenEveryWarpStoppedBeforeItsFirst) {
  EXPECT_TRUE(granules_run_whole({1'000, 7, 64, 32}, std::vector<std::uint64_t>(2, 0)).empty());
}

TEST(GpuRounds, OfAllItemsThatThereCanBeDoNotOverflow) {
  const std::uint64_t all = ~std::uint64_t{0};
  const GpuRounds dealt{all, all / 3 + 1, std::uint64_t{1} << 18, 32};
  std::vector<std::uint64_t> rounds_done(warp_count(dealt), (all - 1) / dealt.stride);
  auto ranges = granules_run_whole(dealt, rounds_done);
  ASSERT_EQ(ranges.size(), 1u) << "all but the last round";
  EXPECT_EQ(ranges[0].last, 2u);
  std::fill(rounds_done.begin(), rounds_done.end(), all_rounds);
  ranges = granules_run_whole(dealt, rounds_done);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].last, 3u);
}

}  // namespace
}  // namespace skua
