// PCI addresses as different tools write them.
#include <skua/detail/pci_address.hpp>

#include <gtest/gtest.h>

namespace skua {
namespace {

TEST(PciAddress, ReadsTheFormsOfKernelAndVendors) {
  const PciAddress expected{0, 0xc1, 0, 0};
  EXPECT_EQ(PciAddress::from_text("0000:c1:00.0"), expected);
  EXPECT_EQ(PciAddress::from_text("00000000:C1:00.0"), expected);
  EXPECT_EQ(PciAddress::from_text("c1:00.0"), expected);
}

TEST(PciAddress, KeepsDomainsApart) {
  EXPECT_NE(PciAddress::from_text("0001:03:00.0"), PciAddress::from_text("0000:03:00.0"));
  EXPECT_EQ(PciAddress::from_text("10000:01:1f.7"), (PciAddress{0x10000, 1, 0x1f, 7}));
}

TEST(PciAddress, WritesTheKernelsForm) {
  EXPECT_EQ((PciAddress{1, 0x0b, 0x1f, 3}.to_text()), "0001:0b:1f.3");
  EXPECT_EQ((PciAddress{0x10000, 1, 0, 0}.to_text()), "10000:01:00.0");
}

TEST(PciAddress, RefusesWhatIsNotAnAddress) {
  for (const char* text :
       {"", "c1", "c1:00", "c1.0:00", "0000:c1:00.8", "0000:c1:20.0", "0000:1c1:00.0", "g1:00.0", "000000000:c1:00.0",
        "0000:c1:00.", "0000::00.0", ":c1:00.0", "0000:c1:00.0 ", "-1:c1:00.0"}) {
    EXPECT_FALSE(PciAddress::from_text(text)) << text;
  }
}

TEST(PciAddress, OrdersByDomainFirst) {
  EXPECT_LT(*PciAddress::from_text("0000:ff:00.0"), *PciAddress::from_text("0001:00:00.0"));
}

}  // namespace
}  // namespace skua
