// Prompts, ranks and times, each told by its form.
#include "line_prefix.hpp"

#include <algorithm>
#include <array>

namespace skua {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool ends_word(std::string_view text, std::size_t at) {
  return at >= text.size() || is_blank(text[at]);
}

std::size_t after_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::size_t after_word(std::string_view text, std::size_t at) {
  while (!ends_word(text, at)) ++at;
  return at;
}

std::size_t after_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// Whether `text` begins as `form` says, in which d stands for a digit and a for a letter.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return false;
  return std::equal(form.begin(), form.end(), text.begin(), [](char expected, char c) {
    return expected == 'd' ? is_digit(c) : expected == 'a' ? is_letter(c) : expected == c;
  });
}

/// "12:00:01", "12:00:01.5Z", "12:00:01,250+02:00"; the length, or 0.
std::size_t clock_length(std::string_view text) {
  constexpr std::size_t seconds_end = 8;
  if (!has_form(text, "dd:dd:dd")) return 0;
  std::size_t at = seconds_end;
  if (at < text.size() && (text[at] == '.' || text[at] == ',')) at = after_digits(text, at + 1);
  if (at < text.size() && text[at] == 'Z') return at + 1;
  for (const std::string_view zone : {"+dd:dd", "-dd:dd", "+dddd", "-dddd"}) {
    if (has_form(text.substr(at), zone)) return at + zone.size();
  }
  return at;
}

/// "2026-05-01T12:00:01", "2026/05/01 12:00:01"; a day alone is none.
std::size_t dated_clock_length(std::string_view text) {
  constexpr std::size_t day_end = 10;
  if (!has_form(text, "dddd-dd-dd") && !has_form(text, "dddd/dd/dd")) return 0;
  if (text.size() <= day_end || (text[day_end] != 'T' && text[day_end] != ' ' && text[day_end] != '_')) return 0;
  const std::size_t clock = clock_length(text.substr(day_end + 1));
  return clock == 0 ? 0 : day_end + 1 + clock;
}

/// "May  1 12:00:01", "Fri May  1 12:00:01 2026".
std::size_t named_day_length(std::string_view text) {
  constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::size_t at = 0;
  const bool has_weekday = has_form(text, "aaa aaa ");
  if (has_weekday) at = 4;
  if (std::find(months.begin(), months.end(), text.substr(at, 3)) == months.end()) return 0;
  const std::size_t day = after_blanks(text, at + 3);
  at = after_blanks(text, after_digits(text, day));
  const std::size_t clock = day == at ? 0 : clock_length(text.substr(std::min(at, text.size())));
  if (clock == 0) return 0;
  at += clock;
  return has_weekday && has_form(text.substr(at), " dddd") ? at + 5 : at;
}

/// Behind a time: "stdout F", as container runtimes write; or "host program[12]:".
std::size_t logger_length(std::string_view text) {
  const std::size_t begin = after_blanks(text, 0);
  const std::size_t first_end = after_word(text, begin);
  const auto first = text.substr(begin, first_end - begin);
  const std::size_t second_begin = after_blanks(text, first_end);
  const std::size_t second_end = after_word(text, second_begin);
  const auto second = text.substr(second_begin, second_end - second_begin);
  if ((first == "stdout" || first == "stderr") && (second == "F" || second == "P")) return second_end;
  const auto bracket = second.find('[');
  if (!second.ends_with("]:") || bracket == std::string_view::npos || bracket == 0) return 0;
  return after_digits(second, bracket + 1) == second.size() - 2 ? second_end : 0;
}

std::size_t time_length(std::string_view text) {
  std::size_t length = dated_clock_length(text);
  if (length == 0) length = named_day_length(text);
  if (length == 0) length = clock_length(text);
  if (length == 0) return 0;
  // Launchers write a rank behind it without a blank.
  const bool ends = ends_word(text, length) || text[length] == '[' || text[length] == '<';
  return ends ? length + logger_length(text.substr(length)) : 0;
}

bool is_time(std::string_view text) {
  const bool is_uptime = !text.empty() && text.find_first_not_of("0123456789. ") == std::string_view::npos &&
                         text.find('.') != std::string_view::npos;
  return is_uptime || time_length(text) == text.size();
}

/// "<stdout>" behind a rank.
std::size_t stream_length(std::string_view text) {
  for (const std::string_view stream : {"<stdout>", "<stderr>", "<stddiag>"}) {
    if (text.starts_with(stream)) return stream.size();
  }
  return 0;
}

/// "[admin@node ~]$", "[1,0]<stdout>:", "[12:00:01]", "[rank0]:", "[pod/trainer-0/main]". A list of JSON is none.
LinePrefix bracket(std::string_view text) {
  constexpr std::size_t length_max = 200;
  if (text.empty() || text[0] != '[') return {};
  const std::size_t end = text.substr(0, length_max).find_first_of("[]{}<>\"\\", 1);
  if (end == std::string_view::npos || text[end] != ']' || end == 1) return {};
  const auto inside = text.substr(1, end - 1);
  std::size_t at = end + 1;
  const std::size_t stream = stream_length(text.substr(at));
  at += stream;
  const bool is_prompt = stream == 0 && at < text.size() && (text[at] == '$' || text[at] == '#' || text[at] == '%');
  const bool has_colon = !is_prompt && at < text.size() && text[at] == ':';
  if (is_prompt || has_colon) ++at;
  if (is_prompt) return ends_word(text, at) ? LinePrefix{at, {}} : LinePrefix{};
  if (stream > 0) return {at, inside};
  // In a list of JSON a comma follows, or nothing.
  const std::size_t rest = after_blanks(text, at);
  const bool is_apart = has_colon || rest > at;
  if (!is_apart || (rest < text.size() && text[rest] == ',')) return {};
  return {at, is_time(inside) ? std::string_view() : inside};
}

/// "0: " or " 12: ", as srun --label writes.
LinePrefix rank(std::string_view text) {
  constexpr std::size_t digits_max = 7;
  const std::size_t end = after_digits(text, 0);
  if (end == 0 || end > digits_max || end == text.size() || text[end] != ':' || !ends_word(text, end + 1)) return {};
  return {end + 1, text.substr(0, end)};
}

}  // namespace

LinePrefix prefix_of(std::string_view line) {
  constexpr int count_max = 4;
  LinePrefix all;
  for (int count = 0; count < count_max; ++count) {
    const std::size_t begin = after_blanks(line, all.length);
    const std::string_view rest = line.substr(begin);
    LinePrefix next = bracket(rest);
    if (next.length == 0) next = rank(rest);
    if (next.length == 0) next.length = time_length(rest);
    if (next.length == 0) break;
    all.length = begin + next.length;
    // One blank behind it is its own; more belong to the columns of a table.
    if (all.length < line.size() && line[all.length] == ' ') ++all.length;
    if (all.origin.empty()) all.origin = next.origin;
  }
  return all;
}

}  // namespace skua
