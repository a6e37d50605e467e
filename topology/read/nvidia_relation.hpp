// The words of nvidia-smi for what joins two devices, and for the CPUs near one.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

struct Relation {
  LinkKind kind = LinkKind::unknown;
  std::optional<std::uint32_t> count;  ///< of NVLinks
  std::optional<Locality> locality;

  bool operator==(const Relation&) const = default;
};

/// "NV12" or "PHB". Returns nullopt for words that are no relation, and for "X".
std::optional<Relation> relation_from(std::string_view word);

Link link_from(const Relation& relation);

/// The word itself if it is a relation or "X"; the parts of words such as "NODEPIX", which a copy ran together.
/// Returns no relation for all others.
std::vector<std::string_view> relations_in(std::string_view word);

/// Whether a line without a label goes on with the row before it.
bool continues_row(const std::vector<std::string_view>& words);

/// Whether the first word behind the matrix is the list of CPUs, in a row with fewer words than columns.
/// `row` is what follows the label.
bool begins_with_cpus(std::string_view row, std::size_t matrix_columns, std::string_view word);

/// Returns nullopt for what is no list, and for CPUs that no kernel has.
std::optional<CpuSet> cpus_from(std::string_view list);

}  // namespace skua
