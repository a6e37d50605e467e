// The table of options.
#include "option_table.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <skua/input.hpp>

namespace monte_carlo {
namespace {

using Text = std::optional<std::string> GivenOptions::*;

struct Row {
  const char* name;
  Text text;
  const char* value;
  const char* help;
};

const std::vector<Row> common_rows = {
    {"--paths", &GivenOptions::paths, "N",
     "random paths to run, e.g. 2e7 (default: pi and option 1e7, slab 2e6); of options a multiple of 4"},
    {"--devices", &GivenOptions::devices, "SPEC", "where to run: auto, host:4, ... (default: SKUA_DEVICES, or auto)"},
    {"--policy", &GivenOptions::policy, "NAME", "chunk sizes: factoring, formula, guided, fixed[:ITEMS] or static"},
    {"--granule", &GivenOptions::granule, "N", "smallest run of paths that is ever scheduled"},
    {"--seed", &GivenOptions::seed, "S", "seed of the random numbers (default 1)"},
    {"--repeat", &GivenOptions::repeat, "K", "solve K times, which must give the same result; report the last"},
};

const std::vector<Row> option_rows = {
    {"--type", &GivenOptions::type, "TYPE", "call or put (default call)"},
    {"--spot", &GivenOptions::spot, "X", "price of the underlying today (default 100)"},
    {"--strike", &GivenOptions::strike, "X", "agreed price (default 105)"},
    {"--rate", &GivenOptions::rate, "X", "risk-free rate, continuous, a year (default 0.03)"},
    {"--volatility", &GivenOptions::volatility, "X", "volatility, a year (default 0.2)"},
    {"--maturity", &GivenOptions::maturity, "X", "time to maturity in years (default 1)"},
    {"--portfolio", &GivenOptions::portfolio, "FILE", "price all options of this CSV file, each with its own paths"},
    {"--precision", &GivenOptions::precision, "NAME", "of a path: float or double (default double); sums are double"},
};

const std::vector<Row> slab_rows = {
    {"--absorption", &GivenOptions::absorption, "X", "absorption coefficient, 1/cm (default 10)"},
    {"--scattering", &GivenOptions::scattering, "X", "scattering coefficient, 1/cm (default 90)"},
    {"--anisotropy", &GivenOptions::anisotropy, "X", "mean cosine of the scattering angle (default 0.75)"},
    {"--thickness", &GivenOptions::thickness, "X", "thickness, cm (default 0.02)"},
    {"--refractive-index", &GivenOptions::refractive_index, "X", "refractive index, air being 1 (default 1)"},
    {"--case", &GivenOptions::slab_case, "NAME", "take the slab of this name from --cases"},
    {"--cases", &GivenOptions::cases, "FILE", "CSV file of slabs with published results"},
};

void add_rows(CLI::App& app, const std::vector<Row>& rows, const std::string& group, GivenOptions& given) {
  for (const Row& row : rows) {
    app.add_option_function<std::string>(
           row.name, [&given, text = row.text](const std::string& value) { given.*text = value; }, row.help)
        ->option_text(row.value)
        ->group(group);
  }
}

void refuse_strangers(const GivenOptions& given, const std::vector<Row>& rows, std::string_view owner) {
  if (given.problem == owner) return;
  for (const Row& row : rows) {
    if (!(given.*row.text)) continue;
    throw skua::InputError(fmt::format("{}: belongs to --problem {}, not to {}", row.name, owner, given.problem));
  }
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::optional<GivenOptions> read_option_table(int argument_count, const char* const* arguments) {
  GivenOptions given;
  CLI::App app("Monte Carlo on every device of this machine: pi, European options, or light in a turbid slab.",
               "monte_carlo");
  app.set_help_flag("--help", "print this help and end");
  app.set_version_flag("--version", "monte_carlo " SKUA_VERSION, "print the version and end");
  app.add_option("--problem", given.problem, "pi, option or slab (default slab)")->option_text("NAME");
  app.add_flag("--json", given.json, "print the report and the result as JSON, and nothing else");
  add_rows(app, common_rows, "Options", given);
  add_rows(app, option_rows, "Option (--problem option)", given);
  add_rows(app, slab_rows, "Slab (--problem slab)", given);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::Success& asked) {
    app.exit(asked);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw skua::InputError(one_line(error.what()));
  }
  if (given.problem != "pi" && given.problem != "option" && given.problem != "slab") {
    throw skua::InputError(fmt::format("--problem {}: must be pi, option or slab", given.problem));
  }
  refuse_strangers(given, option_rows, "option");
  refuse_strangers(given, slab_rows, "slab");
  return given;
}

}  // namespace monte_carlo
