// What a tool printed and somebody copied: lines and words of it, and notes that name the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skua {

/// The text without colours (also where the copy lost their escape character), carriage returns and bars of tables;
/// "GPU[3]" and "GPU 3" become "GPU3". The lines stay the same lines.
std::string plain_text(std::string_view pasted);

struct TextLine {
  std::size_t number = 0;  ///< from 1
  std::string_view text;
  bool is_cut = false;  ///< the text ends in it, so that its last word may be half a word
};

/// One line after the other. Owns: nothing; the text must outlive it and its lines.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}
  std::optional<TextLine> next();
  std::size_t count() const { return count_; }  ///< lines so far

 private:
  std::string_view rest_;
  std::size_t count_ = 0;
};

/// What blanks and tabs separate, of a long line only the first `count_max` words.
std::vector<std::string_view> words_of(std::string_view line, std::size_t count_max);

bool contains(std::string_view text, std::string_view part);

/// For notes and names: the first 60 bytes, with ? for what is not printable ASCII.
std::string shown(std::string_view text);

/// Returns nullopt for anything but decimal digits, and from 2^31 on.
std::optional<std::uint32_t> small_number(std::string_view text);

/// "GPU3" as plain_text leaves it is 3.
std::optional<std::uint32_t> gpu_number(std::string_view word);

/// Notes on a text. What is told of many lines becomes one note, with the first of them and their number.
class TextNotes {
 public:
  explicit TextNotes(std::string source) : source_(std::move(source)) {}
  /// `what` tells notes apart, `detail` is said of the first one only.
  void add(std::size_t line, const std::string& what, const std::string& detail = "");
  void append_to(std::vector<std::string>& notes) const;
  const std::string& source() const { return source_; }

 private:
  struct Entry {
    std::size_t count = 0;
    std::size_t line = 0;
    std::string detail;
  };
  std::string source_;
  std::map<std::string, Entry> entries_;
};

/// Fails: InputError when there is none, which says where and that `what` is missing, and when there are too many.
void check_gpu_count(std::size_t count, std::size_t line, const TextNotes& notes, std::string_view what);

}  // namespace skua
