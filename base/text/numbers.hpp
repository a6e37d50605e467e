// Numbers in texts of the kernel, of libraries and of tools.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace skua {

/// The number that the whole text is: no blank, no plus sign, a minus sign only where Number has one.
/// Returns nullopt for anything else, and for what a Number cannot hold.
template <std::integral Number>
std::optional<Number> number_from(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && parsed == end ? std::optional(number) : std::nullopt;
}

/// The same for "0.5", "1e3", "inf".
template <std::floating_point Number>
std::optional<Number> number_from(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && parsed == end ? std::optional(number) : std::nullopt;
}

}  // namespace skua
