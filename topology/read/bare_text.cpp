// Takes prefixes, and other text around XML and JSON, away.
#include "bare_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "line_prefix.hpp"

namespace skua {
namespace {

constexpr std::string_view white_space = " \t\r\n";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The length of an escape sequence of a terminal.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    // Parameters, and then one letter.
    const auto end = text.find_first_not_of("0123456789;:?<=>! ", 2);
    if (end == std::string_view::npos) return text.size();
    return text[end] == '\n' ? end : end + 1;
  }
  if (text[1] == ']') {
    // A title, up to a bell or another escape sequence.
    const auto end = text.find_first_of("\a\x1b\n", 2);
    if (end == std::string_view::npos) return text.size();
    if (text[end] == '\a') return end + 1;
    return text[end] == '\x1b' && text.substr(end).starts_with("\x1b\\") ? end + 2 : end;
  }
  return text[1] == '\n' ? 1 : 2;
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\x1b\r"), text.size());
    plain.append(text.substr(0, end));
    text.remove_prefix(end);
    if (!text.empty()) text.remove_prefix(text[0] == '\r' ? 1 : escape_length(text));
  }
  return plain;
}

/// Origins of one form stand for one another: ranks, or pods, whose names may end in letters.
std::string form_of(std::string_view origin) {
  const bool is_path = origin.find('/') != std::string_view::npos;
  std::string form;
  for (const char c : origin) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    const char place = is_digit(c) ? '0' : is_letter && is_path ? '0' : c;
    if (place != '0' || form.empty() || form.back() != '0') form += place;
  }
  return form;
}

/// Who wrote how many lines, by the form of the names; and of each form the one whose lines are kept.
class Origins {
 public:
  void count(std::string_view origin) {
    if (origin.empty() || size_ == size_max) return;
    auto& lines_of = forms_[form_of(origin)];
    const auto [found, is_new] = lines_of.emplace(origin, Lines{0, size_});
    ++found->second.count;
    if (is_new) ++size_;
  }

  void choose() {
    const auto is_less = [](const auto& a, const auto& b) {
      return std::pair(a.second.count, b.second.first) < std::pair(b.second.count, a.second.first);
    };
    // A numbered list has one line for each of its numbers.
    constexpr std::size_t lines_min = 3;
    for (const auto& [form, lines_of] : forms_) {
      const auto most = std::max_element(lines_of.begin(), lines_of.end(), is_less);
      if (most->second.count >= lines_min) kept_.emplace(form, most->first);
    }
  }

  bool is_kept(std::string_view origin) const {
    if (origin.empty()) return true;
    const auto kept = kept_.find(form_of(origin));
    return kept == kept_.end() || kept->second == origin;
  }

 private:
  struct Lines {
    std::size_t count;
    std::size_t first;  ///< the place of its first line among first lines
  };
  static constexpr std::size_t size_max = 4096;
  std::map<std::string, std::map<std::string, Lines, std::less<>>> forms_;
  std::map<std::string, std::string> kept_;
  std::size_t size_ = 0;
};

/// The blanks and line ends only.
void blank_out(std::string& text, std::size_t begin, std::size_t end) {
  const auto at = [&](std::size_t place) { return text.begin() + static_cast<std::ptrdiff_t>(place); };
  std::replace_if(
      at(begin), at(end), [](char c) { return c != '\n'; }, ' ');
}

std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

/// Whether a line begins with `prefix`, or with the same but for its digits, as times do.
bool begins_with(std::string_view line, std::string_view prefix, bool digits_differ) {
  if (line.size() < prefix.size()) return false;
  return std::equal(prefix.begin(), prefix.end(), line.begin(), [&](char expected, char c) {
    return expected == c || (digits_differ && is_digit(expected) && is_digit(c));
  });
}

/// How far a prefix that is none of the known ones may reach: behind a colon, a bar or an angle and a blank, or behind
/// the seconds of a clock. Returns 0 when no more such place follows in the line.
std::size_t next_border(std::string_view line, std::size_t at) {
  constexpr std::size_t seconds_digits = 8;
  constexpr std::size_t length_max = 100;
  for (; at < std::min(line.size(), length_max); ++at) {
    if (line[at] == '<' || line[at] == '{' || line[at] == '"') return 0;
    if (line[at] != ' ' || at == 0) continue;
    const bool is_border = std::string_view(":|>").find(line[at - 1]) != std::string_view::npos;
    const bool is_number = line.substr(0, at).find_first_not_of("0123456789.") == std::string_view::npos;
    if (is_border || (is_number && at >= seconds_digits)) return at + 1;
  }
  return 0;
}

bool is_seconds(std::string_view prefix) {
  return is_digit(prefix[0]) && prefix.find_first_not_of("0123456789. ") == std::string_view::npos;
}

/// What nearly all lines have behind their known prefixes, as other launchers and logs write it.
class CommonPrefix {
 public:
  explicit CommonPrefix(std::string_view text) {
    TextLines lines(text);
    std::vector<std::string_view> sample;
    std::optional<TextLine> line;
    while (sample.size() < sample_max && lines.count() < lines_max && (line = lines.next())) {
      const auto rest = line->text.substr(prefix_of(line->text).length);
      if (rest.find_first_not_of(white_space) != std::string_view::npos) sample.push_back(rest);
    }
    constexpr std::size_t candidates_max = 3;
    for (std::size_t place = 0; place < std::min(sample.size(), candidates_max); ++place) {
      for (std::size_t end = next_border(sample[place], 0); end > 0; end = next_border(sample[place], end)) {
        const auto prefix = sample[place].substr(0, end);
        if (end > prefix_.size() && is_of_nearly_all(sample, prefix)) prefix_ = prefix;
      }
    }
  }

  std::size_t length_in(std::string_view line) const {
    if (prefix_.empty()) return 0;
    if (begins_with(line, prefix_, is_seconds(prefix_))) return prefix_.size();
    // Of an empty line the blank behind it may be lost.
    const auto without_blank = prefix_.substr(0, prefix_.size() - 1);
    return line == without_blank ? line.size() : 0;
  }

 private:
  static constexpr std::size_t sample_max = 1000;
  static constexpr std::size_t lines_max = 100'000;

  static bool is_of_nearly_all(const std::vector<std::string_view>& sample, std::string_view prefix) {
    constexpr std::size_t lines_min = 3;
    const auto count = static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), [&](std::string_view line) {
      return begins_with(line, prefix, is_seconds(prefix));
    }));
    return count >= lines_min && count * 5 >= sample.size() * 4;
  }

  std::string_view prefix_;
};

struct BareLine {
  std::string_view text;
  std::string_view origin;
};

/// What is known may stand before and behind what is common.
BareLine bare_line(std::string_view line, const CommonPrefix& common) {
  const LinePrefix outer = prefix_of(line);
  line.remove_prefix(outer.length);
  const std::size_t length = common.length_in(line);
  if (length == 0) return {line, outer.origin};
  line.remove_prefix(length);
  const LinePrefix inner = prefix_of(line);
  return {line.substr(inner.length), outer.origin.empty() ? inner.origin : outer.origin};
}

/// Blanks `prefix` out of the lines from `at` on; lines without it are somebody else's.
void take_prefix_away(std::string& text, std::size_t at, const std::string& prefix) {
  const auto is_on_a_line = [&](bool digits_differ) {
    for (std::size_t begin = at; begin < text.size(); begin = line_end(text, begin) + 1) {
      const auto line = std::string_view(text).substr(begin, line_end(text, begin) - begin);
      if (begins_with(line, prefix, digits_differ)) return true;
    }
    return false;
  };
  const bool is_exact = is_on_a_line(false);
  if (!is_exact && !is_on_a_line(true)) return;
  for (std::size_t begin = at; begin < text.size();) {
    const std::size_t end = line_end(text, begin);
    const auto line = std::string_view(text).substr(begin, end - begin);
    blank_out(text, begin, begins_with(line, prefix, !is_exact) ? begin + prefix.size() : end);
    begin = end + 1;
  }
}

/// Behind a brace: a name in quotation marks and a colon, perhaps in the next line and behind its prefix.
bool begins_object(std::string_view text) {
  constexpr std::size_t prefix_max = 200;
  constexpr std::size_t name_max = 100;
  const auto line = text.substr(0, prefix_max);
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || (line[first] != '"' && line[first] != '\n')) return false;
  const auto quote = line.find('"');
  if (quote == std::string_view::npos) return false;
  const auto rest = text.substr(quote + 1, name_max);
  const auto end = rest.find('"');
  if (end == std::string_view::npos) return false;
  const auto colon = rest.find_first_not_of(" \t", end + 1);
  return colon != std::string_view::npos && rest[colon] == ':';
}

/// The name of the outermost element; empty where there is none.
std::string_view root_name(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    at = text.find('<', at);
    if (at == std::string_view::npos) break;
    const auto rest = text.substr(at);
    const std::string_view end = rest.starts_with("<!--") ? "-->" : rest.starts_with("<?") ? "?>" : ">";
    if (rest.size() > 1 && rest[1] != '!' && rest[1] != '?') {
      return rest.substr(1, rest.find_first_of(" \t\r\n/>", 1) - 1);
    }
    const auto closed = text.find(end, at);
    at = closed == std::string_view::npos ? text.size() : closed + end.size();
  }
  return {};
}

/// Behind the bracket that closes the one at `begin`; the size of the text where none does.
std::size_t json_end(std::string_view text, std::size_t begin) {
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (is_quoted) {
      if (c == '\\') ++at;
      is_quoted = c != '"';
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

std::size_t xml_end(std::string_view text, std::size_t begin) {
  const std::string closing = "</" + std::string(root_name(text, begin));
  const auto last = closing.size() > 2 ? text.rfind(closing) : std::string_view::npos;
  const auto end = last == std::string_view::npos ? last : text.find('>', last);
  return end == std::string_view::npos ? text.size() : end + 1;
}

/// Where what a shell or a log goes on with is to be cut off. Another document is not: there may be only one.
std::size_t markup_end(std::string_view text, std::size_t begin) {
  const bool is_xml = text[begin] == '<';
  const std::size_t end = is_xml ? xml_end(text, begin) : json_end(text, begin);
  const auto next = text.find_first_not_of(white_space, end);
  if (next == std::string_view::npos) return text.size();
  const bool is_on_next_line = text.substr(end, next - end).find('\n') != std::string_view::npos;
  const bool is_cut_off = is_xml ? text.find('<', end) == std::string_view::npos
                                 : is_on_next_line && std::string_view("{[").find(text[next]) == std::string_view::npos;
  return is_cut_off ? end : text.size();
}

}  // namespace

std::string bare_text(std::string_view pasted, TextNotes& notes) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (pasted.starts_with(byte_order_mark)) pasted.remove_prefix(byte_order_mark.size());
  std::string plain;
  if (pasted.find_first_of("\x1b\r") != std::string_view::npos) {
    plain = without_escapes(pasted);
    pasted = plain;
  }
  const CommonPrefix common(pasted);
  Origins origins;
  bool has_prefixes = false;
  for (std::size_t begin = 0; begin < pasted.size();) {
    const std::size_t end = line_end(pasted, begin);
    if (begin < end) {
      const BareLine line = bare_line(pasted.substr(begin, end - begin), common);
      origins.count(line.origin);
      has_prefixes = has_prefixes || line.text.size() < end - begin;
    }
    begin = end + 1;
  }
  if (!has_prefixes) return std::string(pasted);
  origins.choose();
  std::string bare;
  bare.reserve(pasted.size());
  TextLines lines(pasted);
  while (const auto line = lines.next()) {
    const auto [text, origin] = bare_line(line->text, common);
    if (origins.is_kept(origin)) {
      bare.append(text);
    } else {
      notes.add(line->number, "lines of another rank, or of another place, are passed over", shown(origin));
    }
    if (!line->is_cut) bare += '\n';
  }
  return bare;
}

std::optional<std::size_t> find_markup(std::string_view text) {
  constexpr std::array<std::string_view, 5> beginnings = {"<?xml", "<!DOCTYPE", "<system", "<topology",
                                                          "<nvidia_smi_log"};
  std::size_t first = text.size();
  for (const auto beginning : beginnings) first = std::min(first, text.find(beginning));
  if (first < text.size()) return first;
  auto brace = text.find('{');
  while (brace != std::string_view::npos && !begins_object(text.substr(brace + 1))) brace = text.find('{', brace + 1);
  return brace == std::string_view::npos ? std::nullopt : std::optional(brace);
}

std::string bare_markup(std::string text, std::size_t begin) {
  const auto line_before = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
  const std::size_t line_begin = line_before == std::string::npos ? 0 : line_before + 1;
  const std::string prefix = text.substr(line_begin, begin - line_begin);
  blank_out(text, 0, begin);
  const bool has_prefix = prefix.find_first_not_of(white_space) != std::string::npos;
  if (has_prefix) take_prefix_away(text, std::min(line_end(text, begin) + 1, text.size()), prefix);
  text.resize(markup_end(text, begin));
  return text;
}

}  // namespace skua
