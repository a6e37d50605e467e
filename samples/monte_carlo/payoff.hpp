// The body of the problem option: the discounted payoffs of four paths from one call of Philox.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include <skua/kernel.hpp>
#include <skua/random.hpp>
#include <skua/reduction.hpp>

#include "fast_math.hpp"
#include "option.hpp"

namespace monte_carlo {

/// What a path of an option needs to know of it, worked out once. Real is the precision of a path; sums are double.
/// The price at maturity is drawn in one step: no path in between matters to a European option.
template <std::floating_point Real>
class Payoff {
 public:
  Payoff() = default;
  /// The discount is folded into start and strike, which leaves the drift of a martingale, and so is the sign of a put.
  explicit Payoff(const Option& option) {
    const double sign = option.type == OptionType::call ? 1 : -1;
    const double variance = option.volatility * option.volatility * option.maturity_years;
    start_ = static_cast<Real>(sign * option.spot * std::exp(-variance / 2));
    strike_ = static_cast<Real>(sign * option.strike * std::exp(-option.rate * option.maturity_years));
    constexpr double log2_e = 1.4426950408889634;
    spread_ = static_cast<Real>(std::same_as<Real, float> ? 2 * variance * log2_e : std::sqrt(variance));
  }

  /// The sum of the payoffs of the four paths that `random` gives, and that of their squares.
  SKUA_BODY skua::Sums<2> sums(const skua::Philox& random) const {
    const skua::Philox::Four<Real> growth = growths(random);
    const Real first = payoff(growth.first);
    const Real second = payoff(growth.second);
    const Real third = payoff(growth.third);
    const Real fourth = payoff(growth.fourth);
    return {{static_cast<double>((first + second) + (third + fourth)),
             static_cast<double>((first * first + second * second) + (third * third + fourth * fourth))}};
  }

 private:
  using Growths = skua::Philox::Four<Real>;

  SKUA_BODY Real payoff(Real growth) const {
    const Real gain = start_ * growth - strike_;
    return gain > 0 ? gain : 0;
  }

  SKUA_BODY Growths growths(const skua::Philox& random) const {
    if constexpr (std::same_as<Real, float>) {
      const skua::Philox::Four<std::uint32_t> word = random.words(0);
      const skua::Philox::Two<float> one = growth_pair(word.first, word.second);
      const skua::Philox::Two<float> other = growth_pair(word.third, word.fourth);
      return {one.first, one.second, other.first, other.second};
    } else {
      const Growths normal = random.normals<double>(0);
      return {std::exp(spread_ * normal.first), std::exp(spread_ * normal.second), std::exp(spread_ * normal.third),
              std::exp(spread_ * normal.fourth)};
    }
  }

  /// exp(volatility sqrt(maturity) normal) for both normals of Box and Muller's pair, with all factors below one root:
  /// 2 variance log2(e) log2(u) is the square of what 2 is raised to, before it is turned by the angle.
  SKUA_BODY skua::Philox::Two<float> growth_pair(std::uint32_t for_radius, std::uint32_t for_angle) const {
    const float uniform = static_cast<float>(for_radius) * 0x1p-32f + 0x1p-33f;
    // The logarithm of what is nearly 1 may come out on either side of 0.
    const float radius = fast_sqrt(std::fabs(spread_ * fast_log2(uniform)));
    constexpr float pi_of_word = 3.14159265f * 0x1p-31f;
    const Direction direction = fast_direction(static_cast<float>(static_cast<std::int32_t>(for_angle)) * pi_of_word);
    return {fast_exp2(radius * direction.cosine), fast_exp2(radius * direction.sine)};
  }

  Real start_ = 0;
  Real strike_ = 0;
  Real spread_ = 0;  ///< double: of the logarithm. float: see growth_pair
};

/// An item is four paths, of one draw: nothing of it is thrown away.
inline constexpr std::uint64_t option_paths_in_item = 4;

/// Streams (the options of a portfolio, say) are independent of each other.
template <std::floating_point Real>
class OptionBody {
 public:
  OptionBody(const Option& option, std::uint64_t seed, std::uint32_t stream = 0)
      : seed_(seed), stream_(stream), payoff_(option) {}

  SKUA_BODY skua::Sums<2> operator()(std::uint64_t item) const {
    return payoff_.sums(skua::Philox(seed_, item, stream_));
  }

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
  Payoff<Real> payoff_;
};

}  // namespace monte_carlo
