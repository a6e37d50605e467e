// Plain lines, words and numbers from what a terminal showed.
#include "pasted_text.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <skua/input.hpp>

#include <graph/graph.hpp>
#include <text/numbers.hpp>

namespace skua {
namespace {

constexpr std::string_view blanks = " \t\f\v";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_blank(char c) {
  return blanks.find(c) != std::string_view::npos;
}

std::size_t after_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// The length of the terminal's command at the beginning of `text`: with its escape character, or a colour without.
std::size_t command_length(std::string_view text) {
  const std::size_t begin = text[0] == '\x1b' ? 1 : 0;
  if (begin >= text.size() || text[begin] != '[') return begin;
  std::size_t at = begin + 1;
  while (at < text.size() && (is_digit(text[at]) || text[at] == ';' || text[at] == '?')) ++at;
  const bool is_letter =
      at < text.size() && ((text[at] >= 'A' && text[at] <= 'Z') || (text[at] >= 'a' && text[at] <= 'z'));
  if (begin == 1) return is_letter ? at + 1 : at;
  return at > 1 && is_letter && text[at] == 'm' ? at + 1 : 0;
}

/// The length of "GPU[3]" or "GPU 3" at the beginning of `text`, of which the digits are kept.
std::size_t spelled_label_length(std::string_view text, std::string_view& digits) {
  constexpr std::size_t begin = 4;
  if (text.size() <= begin || !text.starts_with("GPU") || (text[3] != '[' && text[3] != ' ')) return 0;
  const std::size_t end = after_digits(text, begin);
  digits = text.substr(begin, end - begin);
  if (digits.empty()) return 0;
  if (text[3] == '[') return end < text.size() && text[end] == ']' ? end + 1 : 0;
  return end == text.size() || is_blank(text[end]) || text[end] == ':' || text[end] == '\r' || text[end] == '\n' ? end
                                                                                                                 : 0;
}

}  // namespace

std::string plain_text(std::string_view pasted) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  constexpr std::string_view hard_blank = "\xc2\xa0";
  if (pasted.starts_with(byte_order_mark)) pasted.remove_prefix(byte_order_mark.size());
  std::string plain;
  plain.reserve(pasted.size());
  for (std::size_t at = 0; at < pasted.size();) {
    const std::string_view rest = pasted.substr(at);
    const char c = rest[0];
    std::string_view digits;
    if (c == '\x1b' || c == '[') {
      const std::size_t length = command_length(rest);
      if (length == 0) plain += c;
      at += std::max<std::size_t>(length, 1);
    } else if (c == 'G' && spelled_label_length(rest, digits) > 0) {
      plain.append("GPU").append(digits);
      at += spelled_label_length(rest, digits);
    } else if (rest.starts_with(hard_blank)) {
      plain += ' ';
      at += hard_blank.size();
    } else {
      // A lone carriage return ended the lines of very old systems only; here it comes before a line feed.
      if (c != '\r') plain += c == '|' ? ' ' : c;
      ++at;
    }
  }
  return plain;
}

std::optional<TextLine> TextLines::next() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  const TextLine line{++count_, rest_.substr(0, end), end == rest_.size()};
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return line;
}

std::vector<std::string_view> words_of(std::string_view line, std::size_t count_max) {
  std::vector<std::string_view> words;
  while (words.size() < count_max) {
    const auto begin = line.find_first_not_of(blanks);
    if (begin == std::string_view::npos) break;
    const auto end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return words;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string shown(std::string_view text) {
  constexpr std::size_t bytes_max = 60;
  std::string result(text.substr(0, bytes_max));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto value = number_from<std::uint32_t>(text);
  constexpr std::uint32_t small_max = std::numeric_limits<std::int32_t>::max();
  return value && *value <= small_max ? value : std::nullopt;
}

std::optional<std::uint32_t> gpu_number(std::string_view word) {
  return word.starts_with("GPU") ? small_number(word.substr(3)) : std::nullopt;
}

void TextNotes::add(std::size_t line, const std::string& what, const std::string& detail) {
  Entry& entry = entries_[what];
  if (++entry.count > 1) return;
  entry.line = line;
  entry.detail = detail;
}

void TextNotes::append_to(std::vector<std::string>& notes) const {
  std::vector<std::pair<std::size_t, std::string>> lines;
  for (const auto& [what, entry] : entries_) {
    const std::string detail = entry.detail.empty() ? "" : ": " + entry.detail;
    const std::string more = entry.count > 1 ? fmt::format(", and {} times more", entry.count - 1) : "";
    lines.emplace_back(entry.line, fmt::format("{}:{}: {}{}{}", source_, entry.line, what, detail, more));
  }
  std::sort(lines.begin(), lines.end());
  for (auto& [line, note] : lines) notes.push_back(std::move(note));
}

void check_gpu_count(std::size_t count, std::size_t line, const TextNotes& notes, std::string_view what) {
  if (count == 0) throw InputError(fmt::format("{}:{}: the text ends here without {}", notes.source(), line, what));
  if (count > gpu_count_max) {
    throw InputError(fmt::format("{}:{}: {} GPUs are more than {}", notes.source(), line, count, gpu_count_max));
  }
}

}  // namespace skua
