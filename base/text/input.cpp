// Numbers and variables as they come from outside.
#include <skua/input.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "numbers.hpp"

namespace skua {
namespace {

// The last four are read by the tests only; a shell that has them set may still start a program.
constexpr std::array<std::string_view, 8> known_variables = {
    "SKUA_DEVICES",  "SKUA_TOPOLOGY",   "SKUA_TRACE",      "SKUA_PROGRESS",
    "SKUA_RECORDED", "SKUA_FUZZ_SEEDS", "SKUA_FUZZ_FIRST", "SKUA_RECORDED_REQUIRED"};

// What modules of a cluster set for any package that is installed there.
constexpr std::array<std::string_view, 8> endings_of_sites = {"_ROOT", "_DIR",     "_HOME", "_PREFIX",
                                                              "_PATH", "_VERSION", "_LIB",  "_INC"};

/// A decimal as digits and a power of ten: 8.60e9 is "860", 7.
struct Decimal {
  std::string digits;
  std::int64_t exponent = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<Decimal> decimal_from(std::string_view text) {
  Decimal decimal;
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) decimal.digits += text[at];
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at, --decimal.exponent) decimal.digits += text[at];
  }
  if (decimal.digits.empty()) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at + 1 < text.size() && text[at] == '+' && is_digit(text[at + 1])) ++at;
    int power = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), power);
    if (error != std::errc()) return std::nullopt;
    at = static_cast<std::size_t>(end - text.data());
    decimal.exponent += power;
  }
  if (at != text.size()) return std::nullopt;
  return decimal;
}

/// Removes zeros that say nothing, so that what is left of a whole number has no negative exponent.
void normalize(Decimal& decimal) {
  while (!decimal.digits.empty() && decimal.digits.back() == '0') {
    decimal.digits.pop_back();
    ++decimal.exponent;
  }
  decimal.digits.erase(0, std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size()));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::uint64_t parse_count(std::string_view text, std::string_view what) {
  auto decimal = decimal_from(text);
  if (!decimal) throw InputError(fmt::format("{}: '{}' is not a number such as 20000000 or 2e7", what, text));
  normalize(*decimal);
  if (decimal->digits.empty()) return 0;
  if (decimal->exponent < 0) throw InputError(fmt::format("{}: '{}' is not a whole number", what, text));
  const auto too_large = [&] { return InputError(fmt::format("{}: '{}' is above 2^64-1", what, text)); };
  if (decimal->digits.size() > 20 || decimal->exponent > 19) throw too_large();

  const std::string digits = decimal->digits + std::string(static_cast<std::size_t>(decimal->exponent), '0');
  const auto value = number_from<std::uint64_t>(digits);
  if (!value) throw too_large();
  return *value;
}

double parse_number(std::string_view text, std::string_view what) {
  const auto value = number_from<double>(text);
  if (!value || !std::isfinite(*value)) throw InputError(fmt::format("{}: '{}' is not a finite number", what, text));
  return *value;
}

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::vector<std::string> unknown_variables() {
  std::vector<std::string> unknown;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("SKUA_")) continue;
    if (std::find(known_variables.begin(), known_variables.end(), name) != known_variables.end()) continue;
    const auto ends_name = [&](std::string_view ending) { return name.ends_with(ending); };
    if (std::any_of(endings_of_sites.begin(), endings_of_sites.end(), ends_name)) continue;
    const auto nearest = std::min_element(known_variables.begin(), known_variables.end(), [&](auto a, auto b) {
      return edit_distance(a, name) < edit_distance(b, name);
    });
    unknown.push_back(fmt::format("{} is not a variable that skua knows; did you mean {}?", name, *nearest));
  }
  return unknown;
}

void check_environment() {
  const std::vector<std::string> unknown = unknown_variables();
  if (!unknown.empty()) throw InputError(unknown.front());
}

}  // namespace skua
