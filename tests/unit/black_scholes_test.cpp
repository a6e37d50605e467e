// Tests of exact option prices, and of what an option may be.
#include <monte_carlo/black_scholes.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <monte_carlo/estimate.hpp>
#include <monte_carlo/option.hpp>

namespace {

using monte_carlo::black_scholes_price;
using monte_carlo::Estimate;
using monte_carlo::Option;
using monte_carlo::OptionType;

/// Hull's textbook example: its price is printed as 4.76 for the call and 0.81 for the put.
Option textbook(OptionType type) {
  return {type, 42, 40, 0.1, 0.2, 0.5};
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

TEST(RangeFault, NamesOptionsWhosePathsLeaveTheRangeOfThePrecision) {
  using monte_carlo::Precision;
  const auto fits = [](const Option& option, Precision precision) {
    return !monte_carlo::range_fault(option, precision).has_value();
  };
  const Option usual = {OptionType::call, 100, 105, 0.03, 0.2, 1};
  EXPECT_TRUE(fits(usual, Precision::single_float));
  EXPECT_TRUE(fits({OptionType::put, 100, 1e-9, 0.03, 0.8, 10}, Precision::single_float));
  EXPECT_TRUE(fits({OptionType::call, 1e-6, 1e6, 0.03, 0, 0}, Precision::single_float));
  for (const Option& option :
       {Option{OptionType::call, 1e20, 105, 0.03, 0.2, 1}, Option{OptionType::call, 1e-25, 105, 0.03, 0.2, 1},
        Option{OptionType::put, 100, 105, -5, 0.2, 10}, Option{OptionType::put, 100, 105, 0.03, 10, 1}}) {
    EXPECT_FALSE(fits(option, Precision::single_float));
    EXPECT_TRUE(fits(option, Precision::double_float));
  }
  EXPECT_FALSE(fits({OptionType::call, 100, 105, 0.03, 1000, 1}, Precision::double_float));
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
