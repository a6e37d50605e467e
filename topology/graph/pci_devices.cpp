// GPUs by PCI numbers.
#include "pci_devices.hpp"

#include <fmt/format.h>

#include "amd_models.hpp"

namespace skua {

bool is_pci_gpu(std::uint64_t vendor, std::uint64_t device_class) {
  constexpr std::uint64_t display = 0x03;
  constexpr std::uint64_t processing_accelerator = 0x1200;
  const bool is_known_vendor = vendor == pci_vendor_amd || vendor == pci_vendor_nvidia;
  return is_known_vendor && (device_class >> 8 == display || device_class == processing_accelerator);
}

std::string pci_gpu_name(std::uint64_t vendor, std::uint64_t device) {
  if (vendor == pci_vendor_nvidia) return fmt::format("NVIDIA GPU {:04x}", device);
  if (vendor != pci_vendor_amd) return "";
  const auto model = amd_model_from(device);
  return model ? std::string(*model) : fmt::format("AMD GPU {:04x}", device);
}

}  // namespace skua
