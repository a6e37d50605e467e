// Reading CSV files.
#include "csv.hpp"

#include <algorithm>
#include <cassert>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace monte_carlo {
namespace {

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

void check_columns(const CsvHeader& header, std::size_t line, const std::vector<std::string_view>& columns) {
  for (const std::string_view column : columns) {
    const auto times = std::count(header.columns.begin(), header.columns.end(), column);
    if (times == 1) continue;
    throw skua::InputError(fmt::format("{}:{}: column '{}' is {}; needed are {}", header.file, line, column,
                                       times == 0 ? "missing" : "there twice", fmt::join(columns, ",")));
  }
}

void check_length(const CsvHeader& header, std::size_t line, const std::vector<std::string>& cells) {
  const std::size_t wanted = header.columns.size();
  if (cells.size() == wanted) return;
  const std::string at = cells.size() < wanted ? fmt::format("column '{}' is missing: ", header.columns[cells.size()])
                                               : fmt::format("'{}' is one too many: ", cells[wanted]);
  throw skua::InputError(
      fmt::format("{}:{}: {}{} fields where the header has {}", header.file, line, at, cells.size(), wanted));
}

}  // namespace

CsvRow::CsvRow(std::shared_ptr<const CsvHeader> header, std::size_t line, std::vector<std::string> cells)
    : header_(std::move(header)), line_(line), cells_(std::move(cells)) {}

const std::string& CsvRow::text(std::string_view column) const {
  const auto found = std::find(header_->columns.begin(), header_->columns.end(), column);
  assert(found != header_->columns.end());
  return cells_.at(static_cast<std::size_t>(found - header_->columns.begin()));
}

double CsvRow::number(std::string_view column) const {
  return skua::parse_number(text(column), where(column));
}

std::optional<double> CsvRow::number_if_any(std::string_view column) const {
  if (text(column).empty()) return std::nullopt;
  return number(column);
}

std::uint64_t CsvRow::count(std::string_view column) const {
  return skua::parse_count(text(column), where(column));
}

std::string CsvRow::where(std::string_view column) const {
  return fmt::format("{}:{}: column '{}'", header_->file, line_, column);
}

skua::InputError CsvRow::error(std::string_view column, std::string_view why) const {
  return skua::InputError(fmt::format("{}: '{}' {}", where(column), text(column), why));
}

std::vector<CsvRow> read_csv(const std::string& file, const std::vector<std::string_view>& columns) {
  std::ifstream stream(file);
  if (!stream) throw skua::InputError(fmt::format("{}: cannot be opened", file));

  std::shared_ptr<const CsvHeader> header;
  std::vector<CsvRow> rows;
  std::string text;
  for (std::size_t line = 1; std::getline(stream, text); ++line) {
    if (line == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    const std::string content = trimmed(text);
    if (content.empty() || content.front() == '#') continue;
    std::vector<std::string> cells = cells_of(content);
    if (!header) {
      header = std::make_shared<CsvHeader>(CsvHeader{file, std::move(cells)});
      check_columns(*header, line, columns);
    } else {
      check_length(*header, line, cells);
      rows.emplace_back(header, line, std::move(cells));
    }
  }
  if (stream.bad()) throw skua::InputError(fmt::format("{}: cannot be read", file));
  if (rows.empty()) throw skua::InputError(fmt::format("{}: there is nothing in it but comments or a header", file));
  return rows;
}

}  // namespace monte_carlo
