// Reading portfolios.
#include "portfolio.hpp"

#include <fmt/format.h>

#include <skua/input.hpp>

#include "csv.hpp"

namespace monte_carlo {
namespace {

Position position_from(const CsvRow& row, Precision precision) {
  Position position;
  position.name = row.text("name");
  if (position.name.empty()) throw row.error("name", "must not be empty");
  position.option.type = option_type_from(row.text("type"), row.where("type"));
  position.option.spot = row.number("spot");
  position.option.strike = row.number("strike");
  position.option.rate = row.number("rate");
  position.option.volatility = row.number("volatility");
  position.option.maturity_years = row.number("maturity");
  position.paths = row.count("paths");
  position.where = row.where("paths");
  if (position.paths == 0) throw row.error("paths", "must be at least 1");
  if (const auto fault = option_fault(position.option)) throw row.error(fault->field, fault->why);
  if (const auto fault = range_fault(position.option, precision)) throw row.error(fault->field, fault->why);
  return position;
}

}  // namespace

OptionType option_type_from(std::string_view text, std::string_view what) {
  if (text == "call") return OptionType::call;
  if (text == "put") return OptionType::put;
  throw skua::InputError(fmt::format("{}: '{}' is neither call nor put", what, text));
}

std::vector<Position> read_portfolio(const std::string& file, Precision precision) {
  std::vector<Position> positions;
  for (const CsvRow& row :
       read_csv(file, {"name", "type", "spot", "strike", "rate", "volatility", "maturity", "paths"})) {
    positions.push_back(position_from(row, precision));
  }
  return positions;
}

}  // namespace monte_carlo
