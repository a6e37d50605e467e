// The lines that the program writes.
#pragma once

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>

namespace skua {

/// A number in a line; "?" where there is none.
template <class Number>
std::string shown(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "?";
}

class Output {
 public:
  explicit Output(int file) : file_(file) {}

  /// Writes all of `text`, or ends the process when nobody reads any more.
  void write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = write(file_, text.data(), text.size());
      if (count <= 0) _exit(1);
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  /// The words, with blanks between them.
  template <class First, class... Words>
  void line(const First& first, const Words&... words) const {
    std::string text(first);
    (text.append(1, ' ').append(words), ...);
    write_all(text + '\n');
  }

 private:
  int file_;
};

}  // namespace skua
