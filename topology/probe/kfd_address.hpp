// Where KFD nodes are: PCI address and partition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <skua/detail/pci_address.hpp>

#include "kfd_tree.hpp"

namespace skua {

struct KfdAddress {
  std::optional<PciAddress> pci;  ///< of a partition: of the GPU as a whole
  std::optional<std::uint32_t> partition;
};

/// The addresses of GPU nodes, by what their location_id says, see gpu_places().
/// Appends notes on nodes without an address and on nodes that claim the same one.
std::vector<KfdAddress> kfd_addresses(const std::vector<const KfdNode*>& gpus, std::vector<std::string>& notes);

}  // namespace skua
