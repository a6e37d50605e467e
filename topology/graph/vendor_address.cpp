// Decodes the numbers of the vendors' libraries.
#include "vendor_address.hpp"

namespace skua {

PciAddress pci_address_from(const NvmlPciInfo& info) {
  return {info.domain, static_cast<std::uint8_t>(info.bus), static_cast<std::uint8_t>(info.device), 0};
}

}  // namespace skua
