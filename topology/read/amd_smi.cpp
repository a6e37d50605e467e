// Reads amd-smi's tables, whose labels are PCI addresses.
#include "amd_smi.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <text/pieces.hpp>

#include "amd_tables.hpp"

namespace skua {
namespace {

bool is_label(std::string_view word) {
  return word.size() <= 16 && (PciAddress::from_text(word) || gpu_number(word));
}

constexpr std::array<std::pair<std::string_view, AmdTable>, 5> titles = {{{"WEIGHT TABLE", AmdTable::weight},
                                                                          {"HOPS TABLE", AmdTable::hops},
                                                                          {"LINK TYPE TABLE", AmdTable::type},
                                                                          {"NUMA BW TABLE", AmdTable::bandwidth},
                                                                          {"ACCESS TABLE", AmdTable::access}}};

std::optional<AmdTable> title_of(std::string_view line) {
  if (line.ends_with(':')) line.remove_suffix(1);
  if (line == "Legend") return AmdTable::other;
  if (!line.ends_with(" TABLE")) return std::nullopt;
  for (const auto& [title, kind] : titles) {
    if (line.ends_with(title)) return kind;
  }
  return AmdTable::other;
}

/// In the tables a partition has its number where the function of an address stands; the GPU is at function 0.
void number_partitions(Topology& topology) {
  std::vector<bool> is_partition(topology.gpus.size());
  for (const Link& link : topology.links) {
    const auto& from = topology.gpus[link.from.index].pci;
    const auto& to = topology.gpus[link.to.index].pci;
    if (link.kind != LinkKind::package || !from || !to) continue;
    if (from->domain != to->domain || from->bus != to->bus || from->device != to->device) continue;
    is_partition[link.from.index] = true;
    is_partition[link.to.index] = true;
  }
  for (std::size_t place = 0; place < topology.gpus.size(); ++place) {
    if (!is_partition[place]) continue;
    PciAddress& pci = *topology.gpus[place].pci;
    topology.gpus[place].partition = std::exchange(pci.function, std::uint8_t{0});
  }
}

}  // namespace

bool is_amd_smi(const std::string& content) {
  return std::any_of(titles.begin(), titles.end(), [&](const auto& title) { return contains(content, title.first); });
}

Topology read_amd_smi(const std::string& content, const std::string& source) {
  const std::string text = plain_text(content);
  TextLines lines(text);
  TextNotes notes(source);
  AmdTables tables(is_label, "", notes);
  while (const auto line = lines.next()) {
    if (const auto title = title_of(trimmed(line->text))) {
      tables.begin(*title, line->number);
    } else {
      tables.add(*line);
    }
  }
  tables.finish();
  const auto labels = tables.labels();
  check_gpu_count(labels.size(), lines.count(), notes, "a table of GPUs; `amd-smi topology` prints them");

  Topology topology;
  for (const auto label : labels) {
    Gpu gpu;
    gpu.pci = PciAddress::from_text(label);
    if (!gpu.pci) gpu.name = std::string(label);
    gpu.basis = Basis::file;
    topology.gpus.push_back(std::move(gpu));
  }
  AmdPairs pairs(labels);
  tables.add_to(pairs);
  if (labels.size() > 1 && tables.table(AmdTable::type) == nullptr) {
    notes.add(1, "there is no table of link types; kinds are told from weights and speeds where these show them");
  }
  pairs.link(topology, notes);
  number_partitions(topology);
  notes.append_to(topology.notes);
  return topology;
}

}  // namespace skua
