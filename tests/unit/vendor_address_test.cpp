// Addresses as the vendors' libraries write them.
#include <graph/vendor_address.hpp>

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace skua {
namespace {

TEST(VendorAddress, OfRocmSmiHoldsThePartitionToo) {
  const GpuPlace whole = place_from_bdf(0x1'0000'c3fa);
  EXPECT_EQ(whole.pci, (PciAddress{1, 0xc3, 0x1f, 2}));
  EXPECT_EQ(whole.partition, std::nullopt);
  const GpuPlace part = place_from_bdf(std::uint64_t{5} << 28 | 0xc300);
  EXPECT_EQ(part.pci, (PciAddress{0, 0xc3, 0, 0}));
  EXPECT_EQ(part.partition, 5u);
}

TEST(VendorAddress, OfNvmlHasNoFunction) {
  NvmlPciInfo info = {};
  info.domain = 0x10000;
  info.bus = 0x65;
  info.device = 3;
  EXPECT_EQ(pci_address_from(info), (PciAddress{0x10000, 0x65, 3, 0}));
}

}  // namespace
}  // namespace skua
