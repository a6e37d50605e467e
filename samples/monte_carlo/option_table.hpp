// The command line as CLI11 sees it: every option, the text given for it, and the problem it belongs to.
#pragma once

#include <optional>
#include <string>

#include "options.hpp"

namespace monte_carlo {

/// The texts as given; nothing where an option was left out.
struct GivenOptions {
  std::string problem = "slab";
  std::optional<std::string> paths, devices, policy, granule, seed, repeat;
  std::optional<std::string> type, spot, strike, rate, volatility, maturity, portfolio, precision;
  std::optional<std::string> absorption, scattering, anisotropy, thickness, refractive_index, slab_case, cases;
  bool json = false;
};

/// Nothing when --help or --version was asked for and has been printed.
/// Fails: InputError for options that do not exist, lack a value, or belong to another problem.
std::optional<GivenOptions> read_option_table(int argument_count, const char* const* arguments);

}  // namespace monte_carlo
