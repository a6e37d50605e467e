// Tests of the samples' random numbers.
#include <monte_carlo/philox.hpp>

#include <array>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

namespace {

using monte_carlo::Philox;

std::array<std::uint32_t, 4> words(const Philox& philox, std::uint32_t draw) {
  const Philox::Words word = philox.words(draw);
  return {word.v[0], word.v[1], word.v[2], word.v[3]};
}

// Known answers that come with Random123 for ten rounds of Philox4x32.
TEST(Philox, GivesTheKnownAnswerOfZeroKeyAndCounter) {
  const std::array<std::uint32_t, 4> expected = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  EXPECT_EQ(words(Philox(0, 0, 0), 0), expected);
}

TEST(Philox, GivesTheKnownAnswerOfAllOnes) {
  const std::array<std::uint32_t, 4> expected = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  EXPECT_EQ(words(Philox(~0ull, ~0ull, ~0u), ~0u), expected);
}

TEST(Philox, PutsSeedPathDrawAndStreamWhereTheirBitsDoNotMeet) {
  // The digits of pi, again from Random123's known answers.
  const std::array<std::uint32_t, 4> expected = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  EXPECT_EQ(words(Philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x03707344), 0x13198a2e), expected);
}

TEST(Philox, GivesEveryDrawOfNeighbouringPathsOnlyOnce) {
  std::set<std::array<std::uint32_t, 4>> seen;
  for (std::uint64_t path = 0; path < 50'000; ++path) {
    for (std::uint32_t draw = 0; draw < 4; ++draw) seen.insert(words(Philox(2024, path), draw));
  }
  EXPECT_EQ(seen.size(), 200'000u);
}

TEST(Philox, TellsPathsApartThatDifferOnlyAbove32Bits) {
  EXPECT_NE(words(Philox(1, 7), 0), words(Philox(1, 7 + (1ull << 32)), 0));
  EXPECT_NE(words(Philox(1, 7), 0), words(Philox(1 + (1ull << 32), 7), 0));
}

TEST(Philox, KeepsUniformNumbersInsideZeroAndOne) {
  double sum = 0;
  double fine_sum = 0;
  constexpr int paths = 100'000;
  for (std::uint64_t path = 0; path < paths; ++path) {
    const auto uniform = Philox(3, path).uniforms(0);
    const auto fine = Philox(3, path).fine_uniforms(0);
    for (const double u : {uniform.first, uniform.second, uniform.third, uniform.fourth, fine.first, fine.second}) {
      ASSERT_GT(u, 0.0);
      ASSERT_LT(u, 1.0);
    }
    sum += uniform.first + uniform.second + uniform.third + uniform.fourth;
    fine_sum += fine.first + fine.second;
  }
  // Four standard errors of the mean of as many uniform numbers.
  EXPECT_NEAR(sum / (4 * paths), 0.5, 4 * 0.2887 / 632.0);
  EXPECT_NEAR(fine_sum / (2 * paths), 0.5, 4 * 0.2887 / 447.0);
}

TEST(Philox, MakesFineNumbersFromTheSameWordsAsCoarseOnes) {
  const auto uniform = Philox(5, 11).uniforms(2);
  const auto fine = Philox(5, 11).fine_uniforms(2);
  EXPECT_NEAR(fine.first, uniform.first, 0x1p-32);
  EXPECT_NEAR(fine.second, uniform.third, 0x1p-32);
}

}  // namespace
