// The exact price of a European option, which the Monte Carlo price is printed beside.
#pragma once

#include <cmath>

#include "option.hpp"

namespace monte_carlo {

inline double normal_distribution(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

inline double black_scholes_price(const Option& option) {
  const double sign = option.type == OptionType::call ? 1 : -1;
  const double strike = option.strike * std::exp(-option.rate * option.maturity_years);
  const double spread = option.volatility * std::sqrt(option.maturity_years);
  // Without any spread the price at maturity is certain.
  if (spread == 0) return std::fmax(0.0, sign * (option.spot - strike));
  const double upper = std::log(option.spot / strike) / spread + spread / 2;
  const double lower = upper - spread;
  return sign * (option.spot * normal_distribution(sign * upper) - strike * normal_distribution(sign * lower));
}

}  // namespace monte_carlo
