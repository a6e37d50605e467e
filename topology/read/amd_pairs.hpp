// What AMD's tools print of pairs of GPUs, and the links that follow from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <skua/topology.hpp>

#include <graph/doubtful_speeds.hpp>
#include "pasted_table.hpp"

namespace skua {

/// `untitled`: its title was cut off; what it says is told from its cells.
enum class AmdTable { untitled, weight, hops, type, bandwidth, access, copy_speed, other };

struct AmdPair {
  std::optional<std::uint64_t> weight;
  std::optional<LinkKind> kind;
  std::optional<std::uint32_t> printed_hops;
  std::optional<std::uint64_t> min_mb_per_s;
  std::optional<std::uint64_t> max_mb_per_s;
  std::optional<double> copy_gb_per_s;  ///< measured by the tool
  bool no_access = false;
};

/// GB/s. Returns nullopt for what is no number, and for speeds that no device has.
std::optional<double> copy_speed_from(std::string_view cell);

/// All ordered pairs of the GPUs with the given labels; the labels must outlive it.
class AmdPairs {
 public:
  explicit AmdPairs(const std::vector<std::string_view>& labels);

  /// Takes what the table says; cells that say nothing leave the pair as it is.
  void add(AmdTable kind, const PastedTable& table, TextNotes& notes);

  /// Leaves out the speeds that the tool measured and that are hardly those of links; `speeds` has what it measured of
  /// the host and within GPUs. Notes name rows and pairs; `line_of_row` has the line of each GPU's.
  void leave_out_doubtful(MeasuredSpeeds speeds, const std::vector<std::size_t>& line_of_row, TextNotes& notes);

  /// Fills the links of a topology that has one GPU for every label, and its hives.
  /// Hops are counted from weights. Printed hops count for PCIe pairs only: of XGMI pairs some versions print 1 always.
  void link(Topology& topology, TextNotes& notes);

 private:
  AmdPair& at(std::size_t from, std::size_t to) { return pairs_[from * labels_.size() + to]; }
  void add_cell(AmdTable kind, AmdPair& pair, std::string_view cell, std::size_t line, TextNotes& notes);
  void compare_directions(TextNotes& notes);
  void note_hops(TextNotes& notes) const;
  bool has_partitions() const;
  Link link_of(const AmdPair& pair, bool has_partitions, TextNotes& notes) const;
  void keep_copy_speeds(Topology& topology);

  std::vector<std::string_view> labels_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<AmdPair> pairs_;
  std::size_t line_ = 1;  ///< of the first table
};

}  // namespace skua
