// From the texts on the command line to checked values.
#include "options.hpp"

#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <skua/input.hpp>
#include <skua/policy.hpp>

#include "option_table.hpp"

namespace monte_carlo {
namespace {

using Text = std::optional<std::string>;

constexpr std::uint64_t default_paths = 10'000'000;
constexpr std::uint64_t default_slab_paths = 2'000'000;

void read_number(const Text& text, std::string_view option, double& value) {
  if (text) value = skua::parse_number(*text, option);
}

std::uint64_t count_from(const Text& text, std::string_view option, std::uint64_t otherwise) {
  if (!text) return otherwise;
  const std::uint64_t count = skua::parse_count(*text, option);
  if (count == 0) throw skua::InputError(fmt::format("{} {}: must be at least 1", option, *text));
  return count;
}

[[noreturn]] void refuse(const Fault& fault) {
  std::string option = fault.field;
  for (char& letter : option) {
    if (letter == '_') letter = '-';
  }
  throw skua::InputError(fmt::format("--{}: {}", option, fault.why));
}

/// Fails: InputError when an option of `others` was given beside `option`, which already says it all.
void refuse_beside(std::string_view option, const std::vector<std::pair<const char*, const Text*>>& others) {
  for (const auto& [name, text] : others) {
    if (*text) throw skua::InputError(fmt::format("{}: cannot be given together with {}", name, option));
  }
}

std::vector<Position> positions_from(const GivenOptions& given, std::uint64_t paths, Precision precision) {
  if (given.portfolio) {
    refuse_beside("--portfolio", {{"--paths", &given.paths},
                                  {"--type", &given.type},
                                  {"--spot", &given.spot},
                                  {"--strike", &given.strike},
                                  {"--rate", &given.rate},
                                  {"--volatility", &given.volatility},
                                  {"--maturity", &given.maturity}});
    return read_portfolio(*given.portfolio, precision);
  }
  Option option;
  if (given.type) option.type = option_type_from(*given.type, "--type");
  read_number(given.spot, "--spot", option.spot);
  read_number(given.strike, "--strike", option.strike);
  read_number(given.rate, "--rate", option.rate);
  read_number(given.volatility, "--volatility", option.volatility);
  read_number(given.maturity, "--maturity", option.maturity_years);
  if (const auto fault = option_fault(option)) refuse(*fault);
  if (const auto fault = range_fault(option, precision)) refuse(*fault);
  return {{option.type == OptionType::call ? "call" : "put", option, paths, "--paths"}};
}

SlabCase slab_from(const GivenOptions& given) {
  if (given.slab_case && !given.cases) throw skua::InputError("--case: needs --cases FILE");
  if (given.cases && !given.slab_case) throw skua::InputError("--cases: needs --case NAME");
  const std::vector<std::pair<const char*, const Text*>> coefficients = {
      {"--absorption", &given.absorption},
      {"--scattering", &given.scattering},
      {"--anisotropy", &given.anisotropy},
      {"--thickness", &given.thickness},
      {"--refractive-index", &given.refractive_index}};
  if (given.slab_case) {
    refuse_beside("--case", coefficients);
    return read_slab_case(*given.cases, *given.slab_case);
  }
  Slab slab;
  read_number(given.absorption, "--absorption", slab.absorption_per_cm);
  read_number(given.scattering, "--scattering", slab.scattering_per_cm);
  read_number(given.anisotropy, "--anisotropy", slab.anisotropy);
  read_number(given.thickness, "--thickness", slab.thickness_cm);
  read_number(given.refractive_index, "--refractive-index", slab.refractive_index);
  if (const auto fault = slab_fault(slab)) refuse(*fault);
  for (const auto& [name, text] : coefficients) {
    if (*text) return {"", slab, {}};
  }
  return van_de_hulst();
}

Precision precision_from(const Text& text) {
  if (!text || *text == "double") return Precision::double_float;
  if (*text == "float") return Precision::single_float;
  throw skua::InputError(fmt::format("--precision: '{}' is neither float nor double", *text));
}

/// Fails: InputError for more paths than can be counted when they are rounded up.
void check_paths(const std::vector<Position>& positions) {
  constexpr std::uint64_t paths_max = std::numeric_limits<std::uint64_t>::max() - 3;
  for (const Position& position : positions) {
    if (position.paths <= paths_max) continue;
    throw skua::InputError(fmt::format("{}: {} is above 2^64-4", position.where, position.paths));
  }
}

/// A granule larger than a whole Job is a mistake of units more often than a wish.
void check_granule(const Options& options) {
  const auto check = [&](std::uint64_t paths, std::string_view where) {
    if (options.granule_paths <= paths) return;
    throw skua::InputError(
        fmt::format("--granule {}: is larger than the {} paths of {}", options.granule_paths, paths, where));
  };
  if (options.problem != Problem::option) return check(options.paths, "--paths");
  for (const Position& position : options.positions) check(position.paths, position.where);
}

/// Fails: InputError, in the words of the command line, when there is no such policy.
void check_policy(const std::string& policy) {
  try {
    skua::make_chunk_policy(policy);
  } catch (const skua::InputError& error) {
    throw skua::InputError(std::string("--") + error.what());
  }
}

}  // namespace

std::optional<Options> read_options(int argument_count, const char* const* arguments) {
  const std::optional<GivenOptions> given = read_option_table(argument_count, arguments);
  if (!given) return std::nullopt;

  Options options;
  options.problem = given->problem == "pi" ? Problem::pi : given->problem == "option" ? Problem::option : Problem::slab;
  if (given->devices && given->devices->empty()) throw skua::InputError("--devices: is empty");
  options.devices = given->devices.value_or("");
  options.policy = given->policy.value_or(options.policy);
  check_policy(options.policy);
  options.paths =
      count_from(given->paths, "--paths", options.problem == Problem::slab ? default_slab_paths : default_paths);
  options.granule_paths = count_from(given->granule, "--granule", 0);
  options.seed = given->seed ? skua::parse_count(*given->seed, "--seed") : 1;
  options.repeat = count_from(given->repeat, "--repeat", 1);
  options.format = given->json ? Format::json : Format::text;
  options.precision = precision_from(given->precision);
  options.is_portfolio = given->portfolio.has_value();
  if (options.problem == Problem::option) options.positions = positions_from(*given, options.paths, options.precision);
  check_paths(options.positions);
  if (options.problem == Problem::slab) options.slab = slab_from(*given);
  check_granule(options);
  return options;
}

std::string in_words_of_command_line(const std::string& message) {
  const std::vector<std::pair<std::string_view, std::string_view>> words = {{"SchedulerOptions::devices", "--devices"},
                                                                            {"JobOptions::granule_items", "--granule"}};
  for (const auto& [theirs, ours] : words) {
    if (message.starts_with(theirs)) return std::string(ours) + message.substr(theirs.size());
  }
  return message;
}

}  // namespace monte_carlo
