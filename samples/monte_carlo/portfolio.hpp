// A portfolio: options from a CSV file, each with its own number of paths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "option.hpp"

namespace monte_carlo {

struct Position {
  std::string name;
  Option option;
  std::uint64_t paths = 0;  ///< as asked for
  std::string where;        ///< place of its paths in the file, as an error message begins
};

/// Fails: InputError that names `what` unless the text is call or put.
OptionType option_type_from(std::string_view text, std::string_view what);

/// Reads the columns name, type, spot, strike, rate, volatility, maturity (years) and paths.
/// Fails: InputError that names file, line and column; also for an option that this precision cannot draw.
std::vector<Position> read_portfolio(const std::string& file, Precision precision = Precision::double_float);

}  // namespace monte_carlo
