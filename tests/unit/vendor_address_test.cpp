// Addresses as the vendors' libraries write them.
#include <graph/vendor_address.hpp>

#include <gtest/gtest.h>

namespace skua {
namespace {

TEST(VendorAddress, OfNvmlHasNoFunction) {
  NvmlPciInfo info = {};
  info.domain = 0x10000;
  info.bus = 0x65;
  info.device = 3;
  EXPECT_EQ(pci_address_from(info), (PciAddress{0x10000, 0x65, 3, 0}));
}

}  // namespace
}  // namespace skua
