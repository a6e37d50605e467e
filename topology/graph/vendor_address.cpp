// Decodes the numbers of the vendors' libraries.
#include "vendor_address.hpp"

namespace skua {

GpuPlace place_from_bdf(std::uint64_t bdf) {
  GpuPlace place;
  place.pci.domain = static_cast<std::uint32_t>(bdf >> 32);
  place.pci.bus = static_cast<std::uint8_t>(bdf >> 8 & 0xff);
  place.pci.device = static_cast<std::uint8_t>(bdf >> 3 & 0x1f);
  place.pci.function = static_cast<std::uint8_t>(bdf & 0x7);
  const auto partition = static_cast<std::uint32_t>(bdf >> 28 & 0xf);
  if (partition > 0) place.partition = partition;
  return place;
}

PciAddress pci_address_from(const NvmlPciInfo& info) {
  return {info.domain, static_cast<std::uint8_t>(info.bus), static_cast<std::uint8_t>(info.device), 0};
}

}  // namespace skua
