// The square tables in the output of one of AMD's tools, by what they are of.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "amd_pairs.hpp"
#include "pasted_table.hpp"

namespace skua {

/// Owns: nothing; the lines must outlive it.
class AmdTables {
 public:
  AmdTables(PastedTableReader::IsLabel is_label, std::string_view corner, TextNotes& notes)
      : reader_(is_label, corner), notes_(notes) {}

  /// Begins a table: its title was read. Of two tables of one kind the first counts.
  void begin(AmdTable kind, std::size_t line);
  /// A line that is no title.
  void add(const TextLine& line) { reader_.add(line, notes_); }
  /// Call it behind the last line.
  void finish();

  /// Of all columns and rows, in the order of their first appearance.
  std::vector<std::string_view> labels() const;
  const PastedTable* table(AmdTable kind) const;
  void add_to(AmdPairs& pairs) const;

 private:
  PastedTableReader reader_;
  TextNotes& notes_;
  AmdTable kind_ = AmdTable::untitled;
  std::map<AmdTable, PastedTable> tables_;
};

}  // namespace skua
