// From cells to links: kinds by the printed type or else by weight, hops by weight.
#include "amd_pairs.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <graph/amd_link.hpp>
#include <graph/graph.hpp>
#include <text/numbers.hpp>

namespace skua {
namespace {

// From a GPU to its CPU and on to another GPU there; more where there are two CPUs on the way.
constexpr std::uint64_t weight_over_one_cpu = 40;
constexpr std::uint64_t xgmi_mb_per_s_min = 50000;

bool says_nothing(std::string_view cell) {
  return cell == "N/A" || cell == "SELF" || cell == "UNKNOWN" || cell == "NOT_APPLICABLE" || cell == "-" ||
         cell == "None";
}

std::optional<LinkKind> kind_from(std::string_view cell) {
  if (cell.starts_with("XGMI")) return LinkKind::xgmi;
  if (cell.starts_with("PCI")) return LinkKind::pcie;
  return std::nullopt;
}

/// A weight below any that goes over a CPU is XGMI's; of a multiple of 15 above it nothing is known.
LinkKind kind_from_weight(std::uint64_t weight, bool has_partitions) {
  if (weight == weight_in_package) return LinkKind::package;
  if (weight == weight_between_packages && has_partitions) return LinkKind::xgmi;
  const bool is_hops = hops_from_weight(weight).has_value() && weight != weight_between_packages;
  if (is_hops && weight < weight_over_one_cpu + 10) return LinkKind::xgmi;
  return !is_hops && weight >= weight_over_one_cpu ? LinkKind::pcie : LinkKind::unknown;
}

/// Gives a fact that is known on one side only to the other, and says whether it did.
template <class Fact>
bool share(std::optional<Fact>& there, std::optional<Fact>& back) {
  if (there.has_value() == back.has_value()) return false;
  (there ? back : there) = there ? there : back;
  return true;
}

}  // namespace

std::optional<double> copy_speed_from(std::string_view cell) {
  constexpr double plausible_max = 1e6;
  const auto value = number_from<double>(cell);
  return value && *value > 0 && *value < plausible_max ? value : std::nullopt;
}

AmdPairs::AmdPairs(const std::vector<std::string_view>& labels)
    : labels_(labels), pairs_(labels.size() * labels.size()) {
  for (std::size_t place = 0; place < labels.size(); ++place) places_.emplace(labels[place], place);
}

void AmdPairs::add(AmdTable kind, const PastedTable& table, TextNotes& notes) {
  if (line_ == 1) line_ = table.line;
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> columns;
  for (const auto label : table.columns) {
    const auto place = places_.find(label);
    columns.push_back(place == places_.end() ? nowhere : place->second);
  }
  for (const PastedRow& row : table.rows) {
    const auto from = places_.find(row.label);
    if (from == places_.end()) continue;
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      if (columns[column] == nowhere || columns[column] == from->second || says_nothing(row.cells[column])) continue;
      add_cell(kind, at(from->second, columns[column]), row.cells[column], row.line, notes);
    }
  }
}

void AmdPairs::add_cell(AmdTable kind, AmdPair& pair, std::string_view cell, std::size_t line, TextNotes& notes) {
  bool is_read = true;
  switch (kind) {
    case AmdTable::weight: {
      const auto weight = number_from<std::uint64_t>(cell);
      is_read = weight.has_value();
      // 0 stands for no link at all.
      if (weight != 0u) pair.weight = weight;
      break;
    }
    case AmdTable::hops:
      pair.printed_hops = small_number(cell);
      is_read = pair.printed_hops.has_value();
      break;
    case AmdTable::type:
      pair.kind = kind_from(cell);
      is_read = pair.kind.has_value();
      break;
    case AmdTable::bandwidth: {
      const auto dash = std::min(cell.find('-'), cell.size());
      pair.min_mb_per_s = number_from<std::uint64_t>(cell.substr(0, dash));
      pair.max_mb_per_s = number_from<std::uint64_t>(cell.substr(std::min(dash + 1, cell.size())));
      is_read = pair.min_mb_per_s && pair.max_mb_per_s;
      break;
    }
    case AmdTable::access:
      pair.no_access = cell == "DISABLED" || cell == "False" || cell == "0";
      break;
    case AmdTable::copy_speed:
      pair.copy_gb_per_s = copy_speed_from(cell);
      is_read = pair.copy_gb_per_s.has_value();
      break;
    case AmdTable::untitled:
    case AmdTable::other:
      break;
  }
  if (!is_read) notes.add(line, "a cell is not understood; its fact stays unknown", shown(cell));
}

void AmdPairs::compare_directions(TextNotes& notes) {
  for (std::size_t from = 0; from < labels_.size(); ++from) {
    for (std::size_t to = 0; to < from; ++to) {
      AmdPair& there = at(to, from);
      AmdPair& back = at(from, to);
      const auto names = [&] { return fmt::format("{} and {}", labels_[to], labels_[from]); };
      const bool is_shared[] = {
          share(there.weight, back.weight), share(there.kind, back.kind), share(there.printed_hops, back.printed_hops),
          share(there.min_mb_per_s, back.min_mb_per_s), share(there.max_mb_per_s, back.max_mb_per_s)};
      if (std::any_of(std::begin(is_shared), std::end(is_shared), [](bool value) { return value; })) {
        notes.add(line_, "facts of a pair stand in one direction only; the other is taken to be like it", names());
      }
      if (there.kind != back.kind) {
        notes.add(line_, "the directions of a pair have different types; each is kept as printed", names());
      } else if (there.weight != back.weight) {
        notes.add(line_, "the directions of a pair have different weights; each is kept as printed", names());
      }
      if (there.no_access || back.no_access) {
        notes.add(line_, "a pair has no direct access; what goes over it passes through host memory", names());
      }
    }
  }
}

void AmdPairs::note_hops(TextNotes& notes) const {
  bool always_one = false;
  bool is_more = false;
  for (const AmdPair& pair : pairs_) {
    if (pair.kind != LinkKind::xgmi || !pair.printed_hops) continue;
    if (*pair.printed_hops != 1) return;
    always_one = true;
    is_more = is_more || hops_from_weight(pair.weight).value_or(1) > 1;
  }
  if (always_one && is_more) {
    notes.add(line_, "the table says 1 hop for every XGMI pair although weights differ; hops are counted from weights");
  }
}

Link AmdPairs::link_of(const AmdPair& pair, bool has_partitions, TextNotes& notes) const {
  Link link;
  link.basis = Basis::file;
  if (pair.kind) {
    link.kind = *pair.kind;
  } else if (pair.weight) {
    link.kind = kind_from_weight(*pair.weight, has_partitions);
  } else if (pair.min_mb_per_s.value_or(0) >= xgmi_mb_per_s_min) {
    link.kind = LinkKind::xgmi;
  }
  const auto declared = gb_per_s_from(pair.max_mb_per_s);
  if (link.kind == LinkKind::xgmi) {
    if (pair.weight == weight_in_package) link.kind = LinkKind::package;
    link.hops = hops_from_weight(pair.weight);
    // Of a weight that says nothing, a stated speed shows that there is a link: only direct neighbours have one.
    if (!link.hops && declared) link.hops = 1;
    if (!link.hops) {
      notes.add(line_,
                "an XGMI pair has no weight that tells its hops; they are counted over direct links where possible",
                pair.weight ? fmt::format("weight {}", *pair.weight) : "");
    }
    if (link.hops == 1u) link.count = link_count_from(pair.min_mb_per_s, pair.max_mb_per_s);
  } else if (link.kind == LinkKind::package) {
    link.hops = 1;
  } else if (link.kind == LinkKind::pcie) {
    link.hops = pair.printed_hops.value_or(0) > 0 ? pair.printed_hops : std::nullopt;
  }
  link.bandwidth_gb_per_s = declared ? declared : pair.copy_gb_per_s;
  return link;
}

/// The graph gives indirect pairs an assumed speed; one that the tool measured over them is better.
void AmdPairs::keep_copy_speeds(Topology& topology) {
  for (Link& link : topology.links) {
    const AmdPair& pair = at(link.from.index, link.to.index);
    if (link.bandwidth_gb_per_s || !pair.copy_gb_per_s) continue;
    link.bandwidth_gb_per_s = pair.copy_gb_per_s;
    link.assumed_bandwidth_gb_per_s.reset();
  }
}

bool AmdPairs::has_partitions() const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [](const AmdPair& pair) { return pair.weight == weight_in_package; });
}

void AmdPairs::leave_out_doubtful(MeasuredSpeeds speeds, const std::vector<std::size_t>& line_of_row,
                                  TextNotes& notes) {
  // What there is to say of links is said when they are made.
  TextNotes unused(notes.source());
  const std::size_t count = labels_.size();
  const bool are_partitions = has_partitions();
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      if (from == to) continue;
      speeds.at(from, to) = {at(from, to).copy_gb_per_s, link_of(at(from, to), are_partitions, unused).kind};
    }
  }
  constexpr std::size_t named_max = 16;
  std::size_t named = 0;
  for (const Doubt& doubt : doubtful_speeds(speeds)) {
    const std::size_t row = doubt.from.index;
    const std::size_t first = doubt.to ? doubt.to->index : 0;
    const std::size_t end = doubt.to ? first + 1 : count;
    for (std::size_t to = first; to < end; ++to) at(row, to).copy_gb_per_s.reset();
    const std::string pair = fmt::format("{} to {}", labels_[row], doubt.to ? labels_[doubt.to->index] : "all others");
    const bool is_named = ++named <= named_max;
    notes.add(line_of_row[row], "a measured speed is doubtful and is not taken" + (is_named ? ", " + pair : ""),
              is_named ? doubt.why : pair + ": " + doubt.why);
  }
}

void AmdPairs::link(Topology& topology, TextNotes& notes) {
  compare_directions(notes);
  note_hops(notes);
  const bool are_partitions = has_partitions();
  std::vector<Link> known;
  for (std::size_t from = 0; from < labels_.size(); ++from) {
    for (std::size_t to = 0; to < labels_.size(); ++to) {
      if (from == to) continue;
      Link link = link_of(at(from, to), are_partitions, notes);
      link.from = GpuId{static_cast<std::uint32_t>(from)};
      link.to = GpuId{static_cast<std::uint32_t>(to)};
      known.push_back(link);
    }
  }
  complete_links(topology, known, LinkKind::pcie, Basis::file);
  number_hives_by_links(topology);
  keep_copy_speeds(topology);
  for (std::size_t place = 0; place < known.size(); ++place) {
    Link& link = topology.links[place];
    if (known[place].kind == LinkKind::xgmi && known[place].hops && known[place].hops != link.hops) {
      notes.add(line_, "a weight contradicts the direct links; the links are kept",
                fmt::format("{} to {}: {} or {} hops", labels_[link.from.index], labels_[link.to.index],
                            *known[place].hops, link.hops.value_or(0)));
    }
    const auto weight = at(link.from.index, link.to.index).weight;
    if (link.kind == LinkKind::pcie && !link.locality && weight.value_or(0) >= weight_over_one_cpu) {
      link.locality = *weight == weight_over_one_cpu ? Locality::node : Locality::system;
    }
  }
}

}  // namespace skua
