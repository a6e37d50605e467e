// A table of texts with aligned columns.
#pragma once

#include <string>
#include <vector>

namespace skua {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);
  void add(std::vector<std::string> row);
  /// Lines of aligned columns, each indented by two. Columns in which all rows are empty are left out.
  std::string to_text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace skua
