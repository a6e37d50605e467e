// Reads the places of PCI devices from /sys.
#include "pci_locality.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include <graph/names.hpp>
#include <text/numbers.hpp>
#include <text/small_file.hpp>

namespace skua {
namespace {

namespace fs = std::filesystem;

/// -1, and anything else that is no node's number, is unknown.
std::optional<NumaId> numa_node_in(const fs::path& device) {
  constexpr std::uint32_t node_max = 1 << 16;
  const auto node = number_from<std::uint32_t>(read_small_file(device / "numa_node").value_or(""));
  return node && *node <= node_max ? std::optional(NumaId{*node}) : std::nullopt;
}

std::optional<CpuSet> cpus_in(const fs::path& file) {
  const auto text = read_small_file(file);
  auto cpus = text ? CpuSet::from_list(*text) : std::nullopt;
  return cpus && !cpus->empty() ? cpus : std::nullopt;
}

std::optional<CpuSet> cpus_of_node(const fs::path& sys, NumaId node) {
  return cpus_in(sys / fmt::format("devices/system/node/node{}/cpulist", node.index));
}

/// By number.
std::vector<NumaId> numa_nodes_of(const fs::path& sys) {
  std::vector<NumaId> nodes;
  std::error_code error;
  const fs::path folder = sys / "devices/system/node";
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("node")) continue;
    if (const auto number = number_from<std::uint32_t>(std::string_view(name).substr(4))) nodes.push_back({*number});
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

bool has_memory_only(const fs::path& sys, NumaId node) {
  return read_small_file(sys / fmt::format("devices/system/node/node{}/cpulist", node.index)) == "";
}

/// How far each of the `count` nodes is from `node`, by number; empty when that is not told for all of them.
std::vector<std::uint32_t> distances_from(const fs::path& sys, NumaId node, std::size_t count) {
  std::vector<std::uint32_t> distances;
  std::istringstream words(
      read_small_file(sys / fmt::format("devices/system/node/node{}/distance", node.index)).value_or(""));
  for (std::string word; words >> word;) {
    distances.push_back(number_from<std::uint32_t>(word).value_or(std::numeric_limits<std::uint32_t>::max()));
  }
  return distances.size() == count ? distances : std::vector<std::uint32_t>();
}

/// The nearest node with CPUs of `allowed`; the only one, where distances are not told.
std::optional<NumaId> nearest_with_cpus(const fs::path& sys, NumaId node, const std::optional<CpuSet>& allowed) {
  const std::vector<NumaId> nodes = numa_nodes_of(sys);
  const std::vector<std::uint32_t> distances = distances_from(sys, node, nodes.size());
  std::optional<std::size_t> nearest;
  std::size_t candidates = 0;
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const auto cpus = cpus_of_node(sys, nodes[place]);
    if (!cpus || (allowed && cpus->intersection(*allowed).empty())) continue;
    ++candidates;
    if (!nearest || (!distances.empty() && distances[place] < distances[*nearest])) nearest = place;
  }
  if (!nearest || (distances.empty() && candidates > 1)) return std::nullopt;
  return nodes[*nearest];
}

/// The node that holds all of `cpus`.
std::optional<NumaId> node_around(const fs::path& sys, const CpuSet& cpus) {
  for (const NumaId node : numa_nodes_of(sys)) {
    const auto of_node = cpus_of_node(sys, node);
    if (of_node && of_node->intersection(cpus) == cpus) return node;
  }
  return std::nullopt;
}

/// The part of the device's real path that are PCI devices: pci0000:c0, 0000:c0:01.1, 0000:c1:00.0.
std::vector<std::string> pci_path(const fs::path& device) {
  std::vector<std::string> names;
  for (const fs::path& part : device) {
    const std::string name = part.string();
    const bool is_host_bridge = name.starts_with("pci") && name.find(':') != std::string::npos;
    if (is_host_bridge || (!names.empty() && PciAddress::from_text(name))) names.push_back(name);
  }
  return names;
}

std::optional<NumaId> node_of_parents(fs::path device) {
  while (device.has_parent_path() && PciAddress::from_text(device.filename().string())) {
    device = device.parent_path();
    if (const auto node = numa_node_in(device)) return node;
  }
  return std::nullopt;
}

void locate_pairs(Topology& topology, const std::vector<PciPlace>& places) {
  for (Link& link : topology.links) {
    if (link.kind != LinkKind::pcie && link.kind != LinkKind::unknown) continue;
    if (const auto shared = shared_locality(places[link.from.index], places[link.to.index])) {
      link.locality = shared;
    } else if (!link.locality) {
      const auto from = topology.gpus[link.from.index].numa_node;
      const auto to = topology.gpus[link.to.index].numa_node;
      if (from && to) link.locality = from == to ? Locality::node : Locality::system;
    }
  }
}

}  // namespace

PciPlace read_pci_place(const fs::path& sys, const PciAddress& address) {
  PciPlace place;
  std::error_code error;
  const fs::path device = fs::canonical(sys / "bus/pci/devices" / address.to_text(), error);
  if (error) return place;
  place.path = pci_path(device);
  place.numa_node = numa_node_in(device);
  const auto near = cpus_in(device / "local_cpulist");
  const auto all = cpus_in(sys / "devices/system/cpu/online");
  const bool tells_apart = near && (!all || near->intersection(*all) != *all);
  if (place.numa_node) {
    place.cpus = near ? near : cpus_of_node(sys, *place.numa_node);
  } else if (tells_apart) {
    place.cpus = near;
    place.numa_node = node_around(sys, *near);
  } else if (const auto node = node_of_parents(device)) {
    place.numa_node = node;
    place.cpus = cpus_of_node(sys, *node);
  } else if (const auto nodes = numa_nodes_of(sys); nodes.size() == 1) {
    place.numa_node = nodes.front();
    place.cpus = cpus_of_node(sys, nodes.front());
  }
  return place;
}

std::optional<Locality> shared_locality(const PciPlace& a, const PciPlace& b) {
  const std::size_t length = std::min(a.path.size(), b.path.size());
  std::size_t shared = 0;
  while (shared < length && a.path[shared] == b.path[shared]) ++shared;
  if (shared == 0) return std::nullopt;
  return shared == 1 ? Locality::bridge : Locality::switch_;
}

void locate_gpus(Topology& topology, const fs::path& sys) {
  std::map<PciAddress, PciPlace> known;
  std::vector<PciPlace> places(topology.gpus.size());
  for (std::uint32_t index = 0; index < topology.gpus.size(); ++index) {
    Gpu& gpu = topology.gpus[index];
    if (!gpu.pci) continue;
    const auto [place, is_new] = known.try_emplace(*gpu.pci);
    if (is_new) place->second = read_pci_place(sys, *gpu.pci);
    places[index] = place->second;
    if (places[index].path.empty()) continue;
    const auto node = places[index].numa_node;
    const std::string who = describe(topology, GpuId{index});
    if (!node && !places[index].cpus && !gpu.numa_node) {
      topology.notes.push_back(fmt::format("{}: /sys tells no NUMA node; its worker will not be pinned", who));
    } else if (node && gpu.numa_node && node != gpu.numa_node) {
      topology.notes.push_back(fmt::format("{}: {} says NUMA node {}, /sys says {}; {} is kept", who,
                                           name_of(gpu.basis), gpu.numa_node->index, node->index,
                                           gpu.numa_node->index));
    }
    if (!gpu.numa_node) gpu.numa_node = node;
    if (!gpu.cpus && node == gpu.numa_node) gpu.cpus = places[index].cpus;
  }
  locate_pairs(topology, places);
}

void leave_memory_only_nodes(Topology& topology, const fs::path& sys) {
  std::map<NumaId, std::optional<NumaId>> moves;
  for (Gpu& gpu : topology.gpus) {
    if (!gpu.numa_node || (gpu.cpus && !gpu.cpus->empty()) || !has_memory_only(sys, *gpu.numa_node)) continue;
    const auto [move, is_new] = moves.try_emplace(*gpu.numa_node);
    if (is_new) {
      move->second = nearest_with_cpus(sys, *gpu.numa_node, topology.host.allowed);
      const std::string instead =
          move->second ? fmt::format("node {}, the nearest with CPUs, stands in for it", move->second->index)
                       : "which node with CPUs is nearest is not known";
      topology.notes.push_back(fmt::format("NUMA node {} has memory only; {}", gpu.numa_node->index, instead));
    }
    if (!move->second) continue;
    gpu.numa_node = move->second;
    gpu.cpus = cpus_of_node(sys, *gpu.numa_node);
  }
}

}  // namespace skua
