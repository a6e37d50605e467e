// Where GPUs are, as the vendors' libraries write it.
#pragma once

#include <cstdint>
#include <optional>

#include <skua/detail/pci_address.hpp>
#include <vendor/nvml_library.hpp>

namespace skua {

/// The place of a GPU or of a partition of one.
struct GpuPlace {
  PciAddress pci;
  std::optional<std::uint32_t> partition;
};

/// From rocm_smi's number for it: domain in the upper half, partition in bits 31:28, then bus, device and function.
/// The partition 0 is also that of a GPU without partitions, and is not told.
GpuPlace place_from_bdf(std::uint64_t bdf);

/// NVML tells no function: that of a GPU is 0.
PciAddress pci_address_from(const NvmlPciInfo& info);

}  // namespace skua
