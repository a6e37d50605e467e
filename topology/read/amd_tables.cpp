// Sorts tables by their titles.
#include "amd_tables.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <text/numbers.hpp>

namespace skua {
namespace {

/// What a table without its title is of, if its cells show it.
AmdTable kind_from_cells(const PastedTable& table) {
  constexpr std::uint64_t weight_min = 13;
  for (const PastedRow& row : table.rows) {
    for (const auto cell : row.cells) {
      if (cell.starts_with("XGMI") || cell.starts_with("PCI")) return AmdTable::type;
      if (cell.size() > 2 && contains(cell.substr(1), "-") && cell[0] >= '0' && cell[0] <= '9') {
        return AmdTable::bandwidth;
      }
      if (number_from<std::uint64_t>(cell).value_or(0) >= weight_min) return AmdTable::weight;
    }
  }
  return AmdTable::other;
}

}  // namespace

void AmdTables::begin(AmdTable kind, std::size_t line) {
  finish();
  kind_ = kind;
  if (kind != AmdTable::other && tables_.contains(kind)) {
    notes_.add(line, "a second table of one kind is passed over");
    kind_ = AmdTable::other;
  }
}

void AmdTables::finish() {
  if (!reader_.has_columns()) return;
  PastedTable table = reader_.take(notes_);
  if (kind_ == AmdTable::untitled) kind_ = kind_from_cells(table);
  tables_.emplace(kind_, std::move(table));
  kind_ = AmdTable::other;
}

std::vector<std::string_view> AmdTables::labels() const {
  std::vector<const PastedTable*> by_line;
  for (const auto& [kind, table] : tables_) by_line.push_back(&table);
  std::sort(by_line.begin(), by_line.end(), [](auto a, auto b) { return a->line < b->line; });
  std::vector<std::string_view> labels;
  std::unordered_set<std::string_view> seen;
  for (const PastedTable* table : by_line) {
    for (const auto label : table->columns) {
      if (seen.insert(label).second) labels.push_back(label);
    }
  }
  return labels;
}

const PastedTable* AmdTables::table(AmdTable kind) const {
  const auto found = tables_.find(kind);
  return found == tables_.end() ? nullptr : &found->second;
}

void AmdTables::add_to(AmdPairs& pairs) const {
  for (const auto& [kind, table] : tables_) pairs.add(kind, table, notes_);
}

}  // namespace skua
