// Addresses of GPUs, as the vendors' libraries write them.
#pragma once

#include <skua/detail/pci_address.hpp>
#include <vendor/nvml_library.hpp>

namespace skua {

/// NVML tells no function: that of a GPU is 0.
PciAddress pci_address_from(const NvmlPciInfo& info);

}  // namespace skua
