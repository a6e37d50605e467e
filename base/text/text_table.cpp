// Aligned columns.
#include "text_table.hpp"

#include <algorithm>
#include <utility>

namespace skua {

TextTable::TextTable(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string TextTable::to_text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 1; row < rows_.size(); ++row)
      widths[column] = std::max(widths[column], rows_[row][column].size());
    if (widths[column] > 0) widths[column] = std::max(widths[column], rows_[0][column].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < columns; ++column) {
      if (widths[column] == 0) continue;
      line += "  " + row[column] + std::string(widths[column] - row[column].size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace skua
