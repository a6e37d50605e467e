// A European option, and what makes one impossible to price.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "fault.hpp"

namespace monte_carlo {

enum class OptionType { call, put };

struct Option {
  OptionType type = OptionType::call;
  double spot = 100;
  double strike = 105;
  double rate = 0.03;       ///< continuous, a year
  double volatility = 0.2;  ///< a year
  double maturity_years = 1;
};

/// What makes an option impossible to price; nothing when all is well.
inline std::optional<Fault> option_fault(const Option& option) {
  if (!(option.spot > 0)) return Fault{"spot", "must be above 0"};
  if (!(option.strike > 0)) return Fault{"strike", "must be above 0"};
  if (!std::isfinite(option.rate)) return Fault{"rate", "must be a finite number"};
  if (!(option.volatility >= 0)) return Fault{"volatility", "must not be negative"};
  if (!(option.maturity_years >= 0)) return Fault{"maturity", "must not be negative"};
  return std::nullopt;
}

/// float: prices and growths at each path in single precision. Sums are double in both.
enum class Precision { single_float, double_float };

/// What makes an option impossible to draw paths of in this precision: its largest growths, prices or their squares
/// leave the range of the type, on either side. Nothing when all is well.
inline std::optional<Fault> range_fault(const Option& option, Precision precision) {
  const bool is_float = precision == Precision::single_float;
  const double exponent_max = is_float ? 38 : 300;  // of ten
  constexpr double log10_e = 0.4342944819032518;
  const double variance = option.volatility * option.volatility * option.maturity_years;
  const double growth = 6.8 * std::sqrt(variance) * log10_e;  // none of Philox' normal numbers is larger
  const double start = std::log10(option.spot) - variance / 2 * log10_e;
  const double strike = std::log10(option.strike) - option.rate * option.maturity_years * log10_e;
  const double largest = std::fmax(start + growth, strike);
  const double smallest = std::fmin(start, std::fmin(strike, -growth));
  if (2 * largest < exponent_max - 1 && 2 * smallest > 1 - exponent_max) return std::nullopt;
  return Fault{"spot", is_float
                           ? "is, or another number of this option is, too large or too small for --precision float"
                           : "is, or another number of this option is, too large or too small to draw paths"};
}

}  // namespace monte_carlo
