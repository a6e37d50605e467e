// What a PCI device's vendor, model and class numbers tell of a GPU.
#pragma once

#include <cstdint>
#include <string>

namespace skua {

inline constexpr std::uint64_t pci_vendor_amd = 0x1002;
inline constexpr std::uint64_t pci_vendor_nvidia = 0x10de;

/// `device_class` without its last byte, the programming interface.
bool is_pci_gpu(std::uint64_t vendor, std::uint64_t device_class);
/// The product's name where it is known, or else vendor and number. Empty for other vendors.
std::string pci_gpu_name(std::uint64_t vendor, std::uint64_t device);

}  // namespace skua
