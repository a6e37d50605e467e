// Tests of exact and simulated option prices.
#include <monte_carlo/black_scholes.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <monte_carlo/estimate.hpp>
#include <monte_carlo/option.hpp>

namespace {

using monte_carlo::black_scholes_price;
using monte_carlo::Estimate;
using monte_carlo::Option;
using monte_carlo::OptionBody;
using monte_carlo::OptionType;

/// Hull's textbook example: its price is printed as 4.76 for the call and 0.81 for the put.
Option textbook(OptionType type) {
  return {type, 42, 40, 0.1, 0.2, 0.5};
}

Estimate simulated(const Option& option, std::uint64_t paths, std::uint32_t stream = 0) {
  const OptionBody body(option, 1, stream);
  skua::Sums<2> sums;
  for (std::uint64_t path = 0; path < paths; ++path) sums = sums + body(path);
  return monte_carlo::estimate(sums.values[0], sums.values[1], paths);
}

TEST(BlackScholes, PricesTheTextbookExample) {
  EXPECT_NEAR(black_scholes_price(textbook(OptionType::call)), 4.76, 0.005);
  EXPECT_NEAR(black_scholes_price(textbook(OptionType::put)), 0.81, 0.005);
}

TEST(BlackScholes, KeepsPutCallParity) {
  const Option call = {OptionType::call, 100, 130, -0.02, 0.4, 3};
  Option put = call;
  put.type = OptionType::put;
  const double forward = call.spot - call.strike * std::exp(-call.rate * call.maturity_years);
  EXPECT_NEAR(black_scholes_price(call) - black_scholes_price(put), forward, 1e-12);
}

TEST(BlackScholes, GivesTheSureGainWithoutVolatilityOrTime) {
  EXPECT_DOUBLE_EQ(black_scholes_price({OptionType::call, 100, 90, 0.05, 0, 2}), 100 - 90 * std::exp(-0.1));
  EXPECT_DOUBLE_EQ(black_scholes_price({OptionType::put, 100, 90, 0.05, 0, 2}), 0);
  EXPECT_DOUBLE_EQ(black_scholes_price({OptionType::put, 80, 90, 0.05, 0.3, 0}), 10);
}

TEST(OptionBody, AgreesWithBlackScholesWithinFourStandardErrors) {
  for (const OptionType type : {OptionType::call, OptionType::put}) {
    for (const double strike : {60.0, 105.0, 160.0}) {
      const Option option = {type, 100, strike, 0.03, 0.2, 1};
      const Estimate price = simulated(option, 400'000);
      EXPECT_NEAR(*price.mean, black_scholes_price(option), 4 * *price.standard_error) << "strike " << strike;
    }
  }
}

TEST(OptionBody, HasTheVarianceOfTheDiscountedPayoff) {
  // A call at strike nearly 0 pays the discounted price itself, whose variance is spot^2 (exp(volatility^2 maturity) -
  // 1).
  const Option option = {OptionType::call, 100, 1e-9, 0.03, 0.2, 1};
  const Estimate price = simulated(option, 400'000);
  const double expected = 100 * std::sqrt(std::exp(0.04) - 1) / std::sqrt(400'000.0);
  EXPECT_NEAR(*price.standard_error, expected, 0.01 * expected);
}

TEST(OptionBody, NeedsNoRandomnessWhenThereIsNone) {
  const Option option = {OptionType::call, 100, 90, 0.05, 0, 2};
  EXPECT_NEAR(OptionBody(option, 1).payoff(12), black_scholes_price(option), 1e-12);
}

TEST(OptionBody, DrawsOtherPathsInAnotherStream) {
  const Option option = {OptionType::call, 100, 1e-9, 0.03, 0.2, 1};
  EXPECT_NE(OptionBody(option, 1, 0).payoff(0), OptionBody(option, 1, 1).payoff(0));
  EXPECT_NE(OptionBody(option, 1, 0).payoff(0), OptionBody(option, 2, 0).payoff(0));
  EXPECT_EQ(OptionBody(option, 1, 3).payoff(5), OptionBody(option, 1, 3).payoff(5));
}

TEST(OptionFault, NamesTheFieldThatIsImpossible) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto field = [](const Option& option) { return monte_carlo::option_fault(option).value().field; };
  EXPECT_EQ(field({OptionType::call, 0, 90, 0.05, 0.1, 2}), "spot");
  EXPECT_EQ(field({OptionType::call, 100, nan, 0.05, 0.1, 2}), "strike");
  EXPECT_EQ(field({OptionType::call, 100, 90, nan, 0.1, 2}), "rate");
  EXPECT_EQ(field({OptionType::call, 100, 90, 0.05, -0.1, 2}), "volatility");
  EXPECT_EQ(field({OptionType::call, 100, 90, 0.05, 0.1, nan}), "maturity");
  EXPECT_FALSE(monte_carlo::option_fault({OptionType::call, 100, 90, -0.05, 0, 0}).has_value());
}

TEST(Estimate, IsUnknownWithoutEnoughPaths) {
  EXPECT_FALSE(monte_carlo::estimate(0, 0, 0).mean.has_value());
  EXPECT_EQ(monte_carlo::estimate(3, 9, 1).mean, 3.0);
  EXPECT_FALSE(monte_carlo::estimate(3, 9, 1).standard_error.has_value());
}

TEST(Estimate, DividesByOneLessThanTheNumberOfPaths) {
  const Estimate estimate = monte_carlo::estimate(1 + 2 + 6, 1 + 4 + 36, 3);
  EXPECT_DOUBLE_EQ(*estimate.mean, 3);
  EXPECT_DOUBLE_EQ(*estimate.standard_error, std::sqrt(7.0 / 3));
}

}  // namespace
