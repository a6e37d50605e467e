// Masks of CPUs as kernels and hwloc write them.
#include <graph/cpu_mask.hpp>

#include <gtest/gtest.h>

namespace skua {
namespace {

std::string list_of(std::string_view mask) {
  const auto cpus = cpus_from_mask(mask);
  return cpus ? cpus->to_list() : "none";
}

TEST(CpuMask, TheHighestWordComesFirst) {
  EXPECT_EQ(list_of("ff"), "0-7");
  EXPECT_EQ(list_of("ffff0000,00000000,ffff0000,00000000"), "48-63,112-127");
  EXPECT_EQ(list_of("3,f0003fff"), "0-13,28-33");
  EXPECT_EQ(list_of("00000000"), "");
}

TEST(CpuMask, WordsMayHaveAPrefixOrBeEmpty) {
  EXPECT_EQ(list_of("0x03000003"), "0-1,24-25");
  EXPECT_EQ(list_of("0x00000001,,0X3"), "0-1,64");
}

TEST(CpuMask, AnythingElseIsNoMask) {
  for (const char* text : {"", "0xf...f", "0xf...f,0x0", "fffffffff", "12 ", "-1", "g"}) {
    EXPECT_EQ(list_of(text), "none") << text;
  }
  std::string words = "1";
  for (int word = 0; word < 2047; ++word) words += ",0";
  EXPECT_EQ(list_of(words), "65504");
  EXPECT_EQ(list_of(words + ",0"), "none");
}

}  // namespace
}  // namespace skua
