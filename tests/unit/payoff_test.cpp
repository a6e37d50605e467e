// Tests of simulated option prices, in both precisions.
#include <monte_carlo/payoff.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <monte_carlo/black_scholes.hpp>
#include <monte_carlo/estimate.hpp>

namespace {

using monte_carlo::black_scholes_price;
using monte_carlo::Estimate;
using monte_carlo::Option;
using monte_carlo::OptionBody;
using monte_carlo::OptionType;

template <class Real>
Estimate simulated(const Option& option, std::uint64_t items) {
  const OptionBody<Real> body(option, 1);
  skua::Sums<2> sums;
  for (std::uint64_t item = 0; item < items; ++item) sums = sums + body(item);
  return monte_carlo::estimate(sums.values[0], sums.values[1], items * monte_carlo::option_paths_in_item);
}

template <class Real>
class OptionBodies : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(OptionBodies, Precisions);

TYPED_TEST(OptionBodies, AgreeWithBlackScholesWithinThreeStandardErrors) {
  for (const OptionType type : {OptionType::call, OptionType::put}) {
    for (const double strike : {60.0, 105.0, 160.0}) {
      const Option option = {type, 100, strike, 0.03, 0.2, 1};
      const Estimate price = simulated<TypeParam>(option, 250'000);
      EXPECT_NEAR(*price.mean, black_scholes_price(option), 3 * *price.standard_error) << "strike " << strike;
    }
  }
}

TYPED_TEST(OptionBodies, AgreeWithBlackScholesOverFourMillionPaths) {
  const Option option;
  const Estimate price = simulated<TypeParam>(option, 1'000'000);
  EXPECT_NEAR(*price.mean, black_scholes_price(option), 3 * *price.standard_error);
  EXPECT_LT(*price.standard_error, 0.007);
}

TYPED_TEST(OptionBodies, HaveTheVarianceOfTheDiscountedPayoff) {
  // A call at strike nearly 0 pays the discounted price itself, of variance spot^2 (exp(volatility^2 maturity) - 1).
  // The standard error of a standard deviation over 4e5 paths is near 0.2 % here.
  const Option option = {OptionType::call, 100, 1e-9, 0.03, 0.2, 1};
  const Estimate price = simulated<TypeParam>(option, 100'000);
  const double expected = 100 * std::sqrt(std::exp(0.04) - 1) / std::sqrt(400'000.0);
  EXPECT_NEAR(*price.standard_error, expected, 0.008 * expected);
}

TYPED_TEST(OptionBodies, NeedNoRandomnessWhenThereIsNone) {
  const Option option = {OptionType::call, 100, 90, 0.05, 0, 2};
  const skua::Sums<2> sums = OptionBody<TypeParam>(option, 1)(12);
  const double exact = black_scholes_price(option);
  EXPECT_NEAR(sums.values[0], 4 * exact, 1e-5 * exact);
  EXPECT_NEAR(sums.values[1], 4 * exact * exact, 1e-5 * exact * exact);
}

TYPED_TEST(OptionBodies, DrawOtherPathsInAnotherStreamAndForAnotherSeed) {
  const Option option = {OptionType::call, 100, 1e-9, 0.03, 0.2, 1};
  const auto sum = [&](std::uint64_t seed, std::uint32_t stream, std::uint64_t item) {
    return OptionBody<TypeParam>(option, seed, stream)(item).values[0];
  };
  EXPECT_NE(sum(1, 0, 0), sum(1, 1, 0));
  EXPECT_NE(sum(1, 0, 0), sum(2, 0, 0));
  EXPECT_NE(sum(1, 0, 0), sum(1, 0, 1));
  EXPECT_EQ(sum(1, 3, 5), sum(1, 3, 5));
}

TEST(OptionBody, DrawsTheSamePathsInFloatAsInDoubleButForRounding) {
  const Option option = {OptionType::call, 100, 1e-9, 0.03, 0.2, 1};
  for (std::uint64_t item = 0; item < 10'000; ++item) {
    const double exact = OptionBody<double>(option, 1)(item).values[0];
    ASSERT_NEAR(OptionBody<float>(option, 1)(item).values[0], exact, 1e-4 * exact);
  }
}

}  // namespace
