// One square table out of a tool's output: a header of labels, and rows that begin with one of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pasted_text.hpp"

namespace skua {

struct PastedRow {
  std::size_t line = 0;
  std::string_view label;
  std::vector<std::string_view> cells;  ///< as many as the table has columns, or fewer where the text was cut off
};

struct PastedTable {
  std::size_t line = 0;  ///< of its header
  std::vector<std::string_view> columns;
  std::vector<PastedRow> rows;
};

/// Owns: nothing; the lines must outlive it and its table.
class PastedTableReader {
 public:
  using IsLabel = bool (*)(std::string_view);

  /// `corner` is the word that stands above the row labels, or empty where none does.
  PastedTableReader(IsLabel is_label, std::string_view corner) : is_label_(is_label), corner_(corner) {}

  /// Lines that belong to no table are passed over; so is everything from a second header on. Rows and headers may go
  /// on in the next line, and each may stand behind the same number of other words, such as the time of a log.
  /// Fails: InputError for more columns than any node has devices.
  void add(const TextLine& line, TextNotes& notes);

  bool has_columns() const { return !table_.columns.empty(); }
  /// The table; what is missing in it is noted. The reader is then as new.
  PastedTable take(TextNotes& notes);

 private:
  bool continues_header(const std::vector<std::string_view>& words) const;
  std::optional<std::size_t> header_place(const std::vector<std::string_view>& words) const;
  void add_columns(const TextLine& line, const std::vector<std::string_view>& words, std::size_t from,
                   const TextNotes& notes);
  bool add_row(const TextLine& line, const std::vector<std::string_view>& words, TextNotes& notes);
  void continue_row(const std::vector<std::string_view>& words);

  IsLabel is_label_;
  std::string_view corner_;
  PastedTable table_;
  std::unordered_set<std::string_view> column_labels_;
  std::unordered_set<std::string_view> row_labels_;
  std::size_t prefix_ = 0;
  enum class Open { nothing, header, row, passed_row } open_ = Open::nothing;
  bool ended_ = false;
  bool is_cut_ = false;  ///< the last line read is
};

}  // namespace skua
