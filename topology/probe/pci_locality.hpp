// Where PCI devices are, by /sys: NUMA node, CPUs, and what two of them share.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

struct PciPlace {
  std::optional<NumaId> numa_node;
  std::optional<CpuSet> cpus;     ///< near the device
  std::vector<std::string> path;  ///< from the host bridge down to the device itself; empty when it is not in the tree
};

/// `sys` is /sys or a tree like it. Where firmware tells no NUMA node the place follows from the list of local CPUs,
/// when that is not simply all of them, or else from the nearest bridge above that has a node; otherwise it stays
/// unknown.
PciPlace read_pci_place(const std::filesystem::path& sys, const PciAddress& address);

/// What the PCI tree says two devices share: a switch or a host bridge. Returns nullopt when they share neither.
std::optional<Locality> shared_locality(const PciPlace& a, const PciPlace& b);

/// Adds the places of all GPUs with an address, and then the locality of every pair that is joined over PCIe.
/// A note names every GPU that has an address in the tree but whose NUMA node is not told, and every GPU of which
/// /sys and an earlier source disagree; the earlier source's node is kept.
void locate_gpus(Topology& topology, const std::filesystem::path& sys);

/// Moves GPUs that are near a NUMA node without CPUs, which has memory only, to the nearest node with CPUs that
/// topology.host allows, by the distances in /sys; the first of equals. A note for each such node.
void leave_memory_only_nodes(Topology& topology, const std::filesystem::path& sys);

}  // namespace skua
