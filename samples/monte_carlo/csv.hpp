// A CSV file with a header line: cells by column name, errors by file, line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skua/input.hpp>

namespace monte_carlo {

struct CsvHeader {
  std::string file;
  std::vector<std::string> columns;
};

/// One line of the file. Asking for a column that the header lacks is our own mistake.
class CsvRow {
 public:
  CsvRow(std::shared_ptr<const CsvHeader> header, std::size_t line, std::vector<std::string> cells);

  /// A cell without the blanks around it; may be empty.
  const std::string& text(std::string_view column) const;
  /// Fails: InputError unless the cell is a finite number.
  double number(std::string_view column) const;
  /// Nothing when the cell is empty.  Fails: InputError when it is anything else but a finite number.
  std::optional<double> number_if_any(std::string_view column) const;
  /// Fails: InputError unless the cell is a whole number such as 20000000 or 2e7.
  std::uint64_t count(std::string_view column) const;

  /// The place of a cell, as an error message begins.
  std::string where(std::string_view column) const;
  skua::InputError error(std::string_view column, std::string_view why) const;

 private:
  std::shared_ptr<const CsvHeader> header_;
  std::size_t line_;
  std::vector<std::string> cells_;
};

/// Reads all rows. Lines that are blank or begin with '#' are skipped; columns may stand in any order, further ones
/// too. Fails: InputError when the file cannot be read, lacks one of `columns`, names one twice, has a row of another
/// length
///        than its header, or no row at all.
std::vector<CsvRow> read_csv(const std::string& file, const std::vector<std::string_view>& columns);

}  // namespace monte_carlo
