// What was found out. Only numbers that depend on the problem, the paths and the seed: never on devices or time.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "estimate.hpp"
#include "option.hpp"
#include "slab_cases.hpp"

namespace monte_carlo {

/// Of paths that were wished for, how many were run: fewer when the user interrupted.
struct Paths {
  std::uint64_t wanted = 0;
  std::uint64_t done = 0;
  std::uint64_t asked = 0;  ///< by the user; less than what was wanted where that was rounded up
};

struct PiResult {
  Paths paths;
  Estimate pi;
};

struct PricedOption {
  std::string name;
  Paths paths;
  Estimate price;
  double black_scholes = 0;
};

struct OptionResult {
  Precision precision = Precision::double_float;
  std::vector<PricedOption> options;
};

struct SlabResult {
  std::string case_name;  ///< empty for a slab that the user made up
  Paths paths;
  double specular_reflectance = 0;
  Estimate reflectance;  ///< the specular part included
  Estimate transmittance;
  Estimate absorption;
  Published published;
};

using Result = std::variant<PiResult, OptionResult, SlabResult>;

}  // namespace monte_carlo
