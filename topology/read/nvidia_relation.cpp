// Relations, apart and run together.
#include "nvidia_relation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <graph/switched_links.hpp>
#include <text/numbers.hpp>
#include <text/pieces.hpp>

#include "pasted_text.hpp"

namespace skua {
namespace {

// SOC and PSB are the words of old drivers.
constexpr std::array<std::pair<std::string_view, Locality>, 7> localities = {{{"PIX", Locality::switch_},
                                                                              {"PXB", Locality::switch_},
                                                                              {"PSB", Locality::switch_},
                                                                              {"PHB", Locality::bridge},
                                                                              {"NODE", Locality::node},
                                                                              {"SYS", Locality::system},
                                                                              {"SOC", Locality::system}}};

/// The length of the relation that `text` begins with, or 0.
std::size_t relation_length(std::string_view text) {
  for (const auto& [name, locality] : localities) {
    if (text.starts_with(name)) return name.size();
  }
  if (text.starts_with("NV")) {
    const auto end = std::min(text.find_first_not_of("0123456789", 2), text.size());
    return end > 2 ? end : 0;
  }
  return text.starts_with("X") ? 1 : 0;
}

}  // namespace

std::optional<Relation> relation_from(std::string_view word) {
  constexpr std::uint32_t links_max = 1024;
  for (const auto& [name, locality] : localities) {
    if (word == name) return Relation{LinkKind::pcie, std::nullopt, locality};
  }
  // A driver that does not count the links of a pair.
  if (word == "NVL") return Relation{LinkKind::nvlink, std::nullopt, std::nullopt};
  const auto count = word.starts_with("NV") ? small_number(word.substr(2)) : std::nullopt;
  if (count.value_or(0) == 0 || *count > links_max) return std::nullopt;
  return Relation{LinkKind::nvlink, count, std::nullopt};
}

Link link_from(const Relation& relation) {
  Link link;
  link.basis = Basis::file;
  link.kind = relation.kind;
  link.count = relation.count;
  link.locality = relation.locality;
  if (relation.kind == LinkKind::nvlink) link.hops = hops_of_joined_pair;
  return link;
}

std::vector<std::string_view> relations_in(std::string_view word) {
  if (word == "X" || relation_from(word)) return {word};
  std::vector<std::string_view> parts;
  while (!word.empty()) {
    const std::size_t length = relation_length(word);
    if (length == 0) return {};
    parts.push_back(word.substr(0, length));
    word.remove_prefix(length);
  }
  return parts;
}

bool continues_row(const std::vector<std::string_view>& words) {
  if (words.size() > 1 && words[1] == "=") return false;
  const bool is_number = words[0][0] >= '0' && words[0][0] <= '9';
  return is_number || words[0] == "N/A" || !relations_in(words[0]).empty();
}

bool begins_with_cpus(std::string_view row, std::size_t matrix_columns, std::string_view word) {
  if (word.find_first_of("-,") != std::string_view::npos) return true;
  // One tab stands before each column.
  for (std::size_t column = 0; column < matrix_columns + 1; ++column) {
    const auto tab = row.find('\t');
    if (tab == std::string_view::npos) return false;
    row.remove_prefix(tab + 1);
  }
  return trimmed(row.substr(0, row.find('\t'))) == word;
}

std::optional<CpuSet> cpus_from(std::string_view list) {
  constexpr std::size_t length_max = 8192;
  constexpr std::uint64_t cpu_max = 8191;
  if (list.size() > length_max) return std::nullopt;
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find_first_of("-,", at), list.size());
    const auto cpu = number_from<std::uint64_t>(list.substr(at, end - at));
    if (!cpu || *cpu > cpu_max) return std::nullopt;
    at = end + 1;
  }
  return CpuSet::from_list(list);
}

}  // namespace skua
