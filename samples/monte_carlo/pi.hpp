// Pi from the share of random points of the unit square that fall into the quarter disc.
#pragma once

#include <cstdint>

#include <skua/kernel.hpp>
#include <skua/random.hpp>

namespace monte_carlo {

/// 1 for a point in the quarter disc, else 0.
struct PiBody {
  std::uint64_t seed;

  SKUA_BODY std::uint64_t operator()(std::uint64_t path) const {
    const skua::Philox::Two<double> point = skua::Philox(seed, path).fine_uniforms(0);
    return point.first * point.first + point.second * point.second < 1 ? 1 : 0;
  }
};

}  // namespace monte_carlo
