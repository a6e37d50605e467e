// Parses JSON entry by entry, and knows the line.
#include "json_sections.hpp"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>

namespace skua {
namespace {

using nlohmann::json;

constexpr int depth_max = 8;

/// Gives the parser its characters and counts the lines that it has passed.
class LineCountingIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names.
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  LineCountingIterator(const char* at, std::size_t* line) : at_(at), line_(line) {}
  const char& operator*() const { return *at_; }
  LineCountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  LineCountingIterator operator++(int) {
    const LineCountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

/// The parser's own words, without its prefix and on one line.
std::string reason(const json::exception& error) {
  std::string text = error.what();
  if (const auto column = text.find("column "); column != std::string::npos) {
    if (const auto colon = text.find(": ", column); colon != std::string::npos) text.erase(0, colon + 2);
  } else if (const auto bracket = text.find("] "); bracket != std::string::npos) {
    text.erase(0, bracket + 2);
  }
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  // The parser quotes all that it has read of a word, which may be the rest of the file.
  constexpr std::size_t beginning = 120;
  constexpr std::size_t end = 80;
  if (text.size() <= beginning + end) return text;
  return text.substr(0, beginning) + " ... " + text.substr(text.size() - end);
}

class SectionReader {
 public:
  SectionReader(const std::string& source, const std::set<std::string, std::less<>>& sections,
                const std::function<void(const JsonEntry&)>& take)
      : source_(source), sections_(sections), take_(take) {}
  json read(const std::string& text);

 private:
  bool on_event(int depth, json::parse_event_t event, json& parsed);
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", source_, line_, what));
  }

  const std::string& source_;
  const std::set<std::string, std::less<>>& sections_;
  const std::function<void(const JsonEntry&)>& take_;
  std::size_t line_ = 1;
  std::size_t entry_line_ = 1;
  std::string section_;
};

bool SectionReader::on_event(int depth, json::parse_event_t event, json& parsed) {
  switch (event) {
    case json::parse_event_t::object_start:
    case json::parse_event_t::array_start:
      if (depth > depth_max) fail("nested too deeply");
      if (depth == 2) entry_line_ = line_;
      return true;
    case json::parse_event_t::key:
      if (depth == 1) section_ = parsed.get<std::string>();
      return true;
    case json::parse_event_t::object_end: {
      const bool is_entry = depth == 2 && sections_.contains(section_);
      if (is_entry) take_({section_, entry_line_, parsed});
      return !is_entry;
    }
    default:
      return true;
  }
}

json SectionReader::read(const std::string& text) {
  try {
    const char* end = text.data() + text.size();
    return json::parse(
        LineCountingIterator(text.data(), &line_), LineCountingIterator(end, &line_),
        [this](int depth, json::parse_event_t event, json& parsed) { return on_event(depth, event, parsed); });
  } catch (const json::exception& error) {
    fail("not JSON: " + reason(error));
  }
}

}  // namespace

json read_json_sections(const std::string& text, const std::string& source,
                        const std::set<std::string, std::less<>>& sections,
                        const std::function<void(const JsonEntry&)>& take) {
  return SectionReader(source, sections, take).read(text);
}

}  // namespace skua
