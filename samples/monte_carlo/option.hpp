// A European option, and the body that draws its discounted payoff under Black-Scholes dynamics.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <skua/kernel.hpp>
#include <skua/reduction.hpp>

#include "fault.hpp"
#include "philox.hpp"

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

/// The discounted payoff of one path, and its square.
/// The price at maturity is drawn in one step, by Box and Muller's normal: no path in between matters to a European
/// option.
class OptionBody {
 public:
  OptionBody(const Option& option, std::uint64_t seed, std::uint32_t stream = 0)
      : seed_(seed),
        stream_(stream),
        sign_(option.type == OptionType::call ? 1.0 : -1.0),
        spread_(option.volatility * std::sqrt(option.maturity_years)),
        discounted_strike_(option.strike * std::exp(-option.rate * option.maturity_years)),
        // The discount is folded in here, which leaves the drift of a martingale.
        discounted_start_(option.spot *
                          std::exp(-0.5 * option.volatility * option.volatility * option.maturity_years)) {}

  SKUA_BODY double payoff(std::uint64_t path) const {
    constexpr double two_pi = 6.283185307179586;
    const FineUniforms uniform = Philox(seed_, path, stream_).fine_uniforms(0);
    const double normal = std::sqrt(-2 * std::log(uniform.first)) * std::cos(two_pi * uniform.second);
    const double gain = sign_ * (discounted_start_ * std::exp(spread_ * normal) - discounted_strike_);
    return gain > 0 ? gain : 0;
  }

  SKUA_BODY skua::Sums<2> operator()(std::uint64_t path) const {
    const double value = payoff(path);
    return {{value, value * value}};
  }

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
  double sign_;
  double spread_;
  double discounted_strike_;
  double discounted_start_;
};

}  // namespace monte_carlo
