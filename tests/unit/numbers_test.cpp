// Numbers, read strictly.
#include <text/numbers.hpp>

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace skua {
namespace {

TEST(Numbers, AreTheWholeText) {
  EXPECT_EQ(number_from<std::uint32_t>("0042"), 42u);
  EXPECT_EQ(number_from<std::int32_t>("-7"), -7);
  EXPECT_EQ(number_from<double>("2.5e-3"), 2.5e-3);
  for (const char* text : {"", " ", "1 ", " 1", "+1", "-1", "1.5", "0x10", "1e3", "one"}) {
    EXPECT_EQ(number_from<std::uint32_t>(text), std::nullopt) << text;
  }
  for (const char* text : {"", " ", "1 ", " 1", "+1", "1.5.2", "1e", "one"}) {
    EXPECT_EQ(number_from<double>(text), std::nullopt) << text;
  }
}

TEST(Numbers, AreUnknownBeyondWhatTheirTypeHolds) {
  EXPECT_EQ(number_from<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(number_from<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(number_from<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(number_from<double>("1e999"), std::nullopt);
}

TEST(Numbers, HaveTheBaseThatIsAskedFor) {
  EXPECT_EQ(number_from<std::uint32_t>("c1", 16), 0xc1u);
  EXPECT_EQ(number_from<std::uint32_t>("17", 8), 15u);
  EXPECT_EQ(number_from<std::uint32_t>("18", 8), std::nullopt);
}

}  // namespace
}  // namespace skua
