// Finds the header and the rows of a table among other lines.
#include "pasted_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <skua/input.hpp>

#include <graph/graph.hpp>

namespace skua {
namespace {

constexpr std::size_t prefix_max = 4;
// Tools that list CPUs too have a column for each of these.
constexpr std::size_t columns_max = gpu_count_max + 256;

/// Sentences that begin with the name of a GPU are no rows.
bool is_prose(std::string_view word) {
  return (word[0] >= 'a' && word[0] <= 'z') || word[0] == ':' || word[0] == '=';
}

}  // namespace

void PastedTableReader::add(const TextLine& line, TextNotes& notes) {
  if (ended_) return;
  is_cut_ = line.is_cut;
  const auto words = words_of(line.text, prefix_max + columns_max + 2);
  if (words.empty()) {
    open_ = Open::nothing;
  } else if (open_ == Open::header && continues_header(words)) {
    add_columns(line, words, 0, notes);
  } else if (const auto place = header_place(words)) {
    if (has_columns()) {
      ended_ = true;
      return;
    }
    prefix_ = *place;
    table_.line = line.number;
    add_columns(line, words, *place + (corner_.empty() ? 0 : 1), notes);
  } else if (!add_row(line, words, notes)) {
    continue_row(words);
  }
}

bool PastedTableReader::continues_header(const std::vector<std::string_view>& words) const {
  return std::all_of(words.begin(), words.end(),
                     [&](auto word) { return is_label_(word) && !column_labels_.contains(word); });
}

/// Where in a line a header begins.
std::optional<std::size_t> PastedTableReader::header_place(const std::vector<std::string_view>& words) const {
  const auto begins = [&](std::string_view word) { return corner_.empty() ? is_label_(word) : word == corner_; };
  const auto begin = std::find_if(words.begin(), words.end(), begins);
  const auto place = static_cast<std::size_t>(begin - words.begin());
  if (begin == words.end() || place > prefix_max) return std::nullopt;
  // The first word is a label or the corner.
  if (!std::all_of(begin + 1, words.end(), is_label_)) return std::nullopt;
  // A label alone may be a row that was cut off behind it, or a word in a sentence.
  const bool may_be_alone = !corner_.empty() || (place == 0 && !has_columns());
  return may_be_alone || words.size() - place > 1 ? std::optional(place) : std::nullopt;
}

void PastedTableReader::add_columns(const TextLine& line, const std::vector<std::string_view>& words, std::size_t from,
                                    const TextNotes& notes) {
  for (std::size_t at = from; at < words.size(); ++at) {
    if (column_labels_.insert(words[at]).second) table_.columns.push_back(words[at]);
  }
  if (table_.columns.size() > columns_max) {
    throw InputError(fmt::format("{}:{}: a table of more than {} columns", notes.source(), line.number, columns_max));
  }
  open_ = Open::header;
}

bool PastedTableReader::add_row(const TextLine& line, const std::vector<std::string_view>& words, TextNotes& notes) {
  if (!has_columns() || words.size() <= prefix_ || !is_label_(words[prefix_])) return false;
  // Where numbers are the labels, what goes on with a row looks like another one but for the empty line between them.
  const bool continues_numbers =
      open_ == Open::row && !corner_.empty() && table_.rows.back().cells.size() + words.size() <= table_.columns.size();
  if (continues_numbers) return false;
  const std::string_view label = words[prefix_];
  const auto first_cell = words.begin() + static_cast<std::ptrdiff_t>(prefix_) + 1;
  if (first_cell != words.end() && is_prose(*first_cell)) return false;
  open_ = Open::passed_row;
  if (!column_labels_.contains(label)) {
    notes.add(line.number, "a row of a device that has no column is passed over", shown(label));
    return true;
  }
  if (!row_labels_.insert(label).second) {
    notes.add(line.number, "a device has a second row; the first counts", std::string(label));
    return true;
  }
  PastedRow row{line.number, label, {first_cell, words.end()}};
  if (row.cells.size() > table_.columns.size()) {
    notes.add(line.number, "a row is longer than the header; what is behind the last column is passed over",
              std::string(label));
    row.cells.resize(table_.columns.size());
  }
  table_.rows.push_back(std::move(row));
  open_ = Open::row;
  return true;
}

void PastedTableReader::continue_row(const std::vector<std::string_view>& words) {
  if (open_ != Open::row) return;
  auto& cells = table_.rows.back().cells;
  if (cells.size() + words.size() > table_.columns.size() || is_prose(words[0])) return;
  cells.insert(cells.end(), words.begin(), words.end());
}

PastedTable PastedTableReader::take(TextNotes& notes) {
  if (is_cut_ && open_ == Open::row) {
    auto& cells = table_.rows.back().cells;
    const bool is_whole = cells.size() == table_.columns.size() && table_.rows.size() == table_.columns.size();
    if (!cells.empty() && !is_whole) cells.pop_back();
  }
  for (const PastedRow& row : table_.rows) {
    if (row.cells.size() >= table_.columns.size()) continue;
    notes.add(row.line, "a row is cut off",
              fmt::format("{} has {} of {} cells", row.label, row.cells.size(), table_.columns.size()));
  }
  if (table_.rows.size() < table_.columns.size() && has_columns()) {
    notes.add(table_.line, "rows of a table are missing",
              fmt::format("{} of {} are there", table_.rows.size(), table_.columns.size()));
  }
  PastedTable table = std::move(table_);
  *this = PastedTableReader(is_label_, corner_);
  return table;
}

}  // namespace skua
