// What comes from outside: the error for bad input, numbers as people write them, SKUA_* variables.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace skua {

/// Bad input or usage, found before any work starts. The message is one line that names the file and line, option,
/// variable or device at fault. Programs end with exit code 2 on it.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A count as people write it: "20000000", "2e7", "8.6e9"; a whole number from 0 to 2^64-1.
/// Fails: InputError that names `what` (an option, say "--paths") and the text.
std::uint64_t parse_count(std::string_view text, std::string_view what);

/// A finite decimal number.
/// Fails: InputError that names `what` and the text.
double parse_number(std::string_view text, std::string_view what);

/// The value of one of skua's variables. Returns nullopt when it is unset or empty.
std::optional<std::string> environment_variable(const char* name);

/// A sentence for each SKUA_* variable that skua does not know, with the known one nearest to it. Those that end in
/// _ROOT, _DIR, _HOME, _PREFIX, _PATH, _VERSION, _LIB or _INC are a site's, and none of skua's concern.
std::vector<std::string> unknown_variables();

/// For skua's own programs; in others, what unknown_variables() says is a note in each Report.
/// Fails: InputError with the first of unknown_variables().
void check_environment();

}  // namespace skua
