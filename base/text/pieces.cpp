// Cuts texts at borders and blanks.
#include "pieces.hpp"

#include <cstddef>

namespace skua {

std::vector<std::string_view> split(std::string_view text, char border) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(border);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white_space = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(white_space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

}  // namespace skua
