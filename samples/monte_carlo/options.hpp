// What the user wants, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portfolio.hpp"
#include "slab_cases.hpp"

namespace monte_carlo {

enum class Problem { pi, option, slab };
enum class Format { text, json };

struct Options {
  Problem problem = Problem::pi;
  std::string devices;  ///< empty: as the Scheduler chooses
  std::string policy = "factoring";
  std::uint64_t paths = 0;          ///< of pi, slab or a single option
  std::uint64_t granule_paths = 0;  ///< 0: as the Scheduler chooses
  std::uint64_t seed = 0;
  std::uint64_t repeat = 1;
  Format format = Format::text;
  Precision precision = Precision::double_float;  ///< of an option's paths
  bool is_portfolio = false;
  std::vector<Position> positions;  ///< the options to price: one, or a portfolio
  SlabCase slab;
};

/// Reads the command line. Nothing when --help or --version was asked for and has been printed.
/// Fails: InputError, one line, for anything that is wrong with it or with the files it names.
std::optional<Options> read_options(int argument_count, const char* const* arguments);

/// What skua says of its own options, which monte_carlo sets from the command line's, in that one's words.
std::string in_words_of_command_line(const std::string& message);

}  // namespace monte_carlo
