// Tests of random numbers keyed by seed, item and draw.
#include <skua/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skua::Philox;

std::array<std::uint32_t, 4> words(const Philox& philox, std::uint32_t draw) {
  const Philox::Four<std::uint32_t> word = philox.words(draw);
  return {word.first, word.second, word.third, word.fourth};
}

/// Mean, variance, skewness and kurtosis lie within four standard errors of a normal distribution's.
void expect_normal(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  std::array<double, 4> moments{};
  for (const double value : values) {
    double power = 1;
    for (double& moment : moments) moment += (power *= value) / count;
  }
  EXPECT_NEAR(moments[0], 0, 4 * std::sqrt(1 / count));
  EXPECT_NEAR(moments[1], 1, 4 * std::sqrt(2 / count));
  EXPECT_NEAR(moments[2], 0, 4 * std::sqrt(15 / count));
  EXPECT_NEAR(moments[3], 3, 4 * std::sqrt(96 / count));
}

template <class Real>
void expect_normals() {
  constexpr std::uint64_t items = 200'000;
  std::array<std::vector<double>, 4> each;
  std::vector<double> products;  // of the two of a pair, and of pairs: of variance 1
  for (std::uint64_t item = 0; item < items; ++item) {
    const Philox::Four<Real> normal = Philox(17, item).normals<Real>(0);
    each[0].push_back(normal.first);
    each[1].push_back(normal.second);
    each[2].push_back(normal.third);
    each[3].push_back(normal.fourth);
    products.push_back(static_cast<double>(normal.first) * static_cast<double>(normal.second));
    products.push_back(static_cast<double>(normal.second) * static_cast<double>(normal.third));
  }
  for (const std::vector<double>& values : each) expect_normal(values);
  double sum = 0;
  for (const double product : products) sum += product;
  EXPECT_NEAR(sum / static_cast<double>(products.size()), 0, 4 / std::sqrt(static_cast<double>(products.size())));
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

TEST(Philox, PutsSeedItemDrawAndStreamWhereTheirBitsDoNotMeet) {
  // The digits of pi, again from Random123's known answers.
  const std::array<std::uint32_t, 4> expected = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  EXPECT_EQ(words(Philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x03707344), 0x13198a2e), expected);
}

TEST(Philox, GivesEveryDrawOfNeighbouringItemsOnlyOnce) {
  std::set<std::array<std::uint32_t, 4>> seen;
  for (std::uint64_t item = 0; item < 50'000; ++item) {
    for (std::uint32_t draw = 0; draw < 4; ++draw) seen.insert(words(Philox(2024, item), draw));
  }
  EXPECT_EQ(seen.size(), 200'000u);
}

TEST(Philox, TellsItemsApartThatDifferOnlyAbove32Bits) {
  EXPECT_NE(words(Philox(1, 7), 0), words(Philox(1, 7 + (1ull << 32)), 0));
  EXPECT_NE(words(Philox(1, 7), 0), words(Philox(1 + (1ull << 32), 7), 0));
}

TEST(Philox, KeepsUniformNumbersInsideZeroAndOne) {
  double sum = 0;
  double float_sum = 0;
  double fine_sum = 0;
  constexpr int items = 100'000;
  for (std::uint64_t item = 0; item < items; ++item) {
    const auto uniform = Philox(3, item).uniforms(0);
    const auto single = Philox(3, item).uniforms<float>(0);
    const auto fine = Philox(3, item).fine_uniforms(0);
    for (const double u : {uniform.first, uniform.second, uniform.third, uniform.fourth, fine.first, fine.second}) {
      ASSERT_GT(u, 0.0);
      ASSERT_LT(u, 1.0);
    }
    for (const float u : {single.first, single.second, single.third, single.fourth}) {
      ASSERT_GT(u, 0.0F);
      ASSERT_LT(u, 1.0F);
      float_sum += static_cast<double>(u);
    }
    sum += uniform.first + uniform.second + uniform.third + uniform.fourth;
    fine_sum += fine.first + fine.second;
  }
  // Four standard errors of the mean of as many uniform numbers.
  EXPECT_NEAR(sum / (4 * items), 0.5, 4 * 0.2887 / 632.0);
  EXPECT_NEAR(float_sum / (4 * items), 0.5, 4 * 0.2887 / 632.0);
  EXPECT_NEAR(fine_sum / (2 * items), 0.5, 4 * 0.2887 / 447.0);
}

TEST(Philox, KeepsTheOutermostWordsInsideZeroAndOne) {
  EXPECT_EQ(Philox::uniform<double>(0), 0x1p-33);
  EXPECT_EQ(Philox::uniform<float>(0), 0x1p-33F);
  EXPECT_EQ(Philox::uniform<double>(~0u), 1 - 0x1p-33);
  EXPECT_EQ(Philox::uniform<float>(~0u), 1 - 0x1p-24F);
}

TEST(Philox, MakesFineNumbersFromTheSameWordsAsCoarseOnes) {
  const auto uniform = Philox(5, 11).uniforms(2);
  const auto fine = Philox(5, 11).fine_uniforms(2);
  EXPECT_NEAR(fine.first, uniform.first, 0x1p-32);
  EXPECT_NEAR(fine.second, uniform.third, 0x1p-32);
}

TEST(Philox, DrawsNormalNumbersInDouble) {
  expect_normals<double>();
}

TEST(Philox, DrawsNormalNumbersInFloat) {
  expect_normals<float>();
}

TEST(Philox, DrawsFineNormalNumbers) {
  std::vector<double> values;
  for (std::uint64_t item = 0; item < 200'000; ++item) {
    const Philox::Two<double> normal = Philox(18, item).fine_normals(3);
    values.push_back(normal.first);
    values.push_back(normal.second);
  }
  expect_normal(values);
}

TEST(Philox, DrawsTheSameNormalNumbersInFloatAsInDoubleButForRounding) {
  for (std::uint64_t item = 0; item < 10'000; ++item) {
    const auto exact = Philox(4, item).normals(0);
    const auto rounded = Philox(4, item).normals<float>(0);
    ASSERT_NEAR(static_cast<double>(rounded.first), exact.first, 1e-3);
    ASSERT_NEAR(static_cast<double>(rounded.fourth), exact.fourth, 1e-3);
  }
}

}  // namespace
