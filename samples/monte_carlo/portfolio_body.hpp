// The body of a portfolio: an item's granule says which option it belongs to.
#pragma once

#include <concepts>
#include <cstdint>

#include <skua/kernel.hpp>
#include <skua/random.hpp>
#include <skua/reduction.hpp>

#include "payoff.hpp"

namespace monte_carlo {

/// What the items of one granule need to know.
template <std::floating_point Real>
struct alignas(16) GranuleOption {
  Payoff<Real> payoff;
  std::uint32_t stream = 0;
  std::uint64_t first = 0;  ///< item of the Job with which its option begins
  std::uint64_t end = 0;    ///< one past its option's last; what follows is padding
};

template <std::floating_point Real>
struct PortfolioBody {
  std::uint64_t seed = 0;
  const GranuleOption<Real>* options = nullptr;  ///< one a granule, where all devices can read it
  unsigned granule_shift = 0;

  SKUA_BODY skua::Sums<2> operator()(std::uint64_t item) const {
    const GranuleOption<Real> option = options[item >> granule_shift];
    if (item >= option.end) return {};
    return option.payoff.sums(skua::Philox(seed, item - option.first, option.stream));
  }
};

}  // namespace monte_carlo
