// Texts taken apart.
#include <text/pieces.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skua {
namespace {

using ::testing::ElementsAre;

TEST(Split, KeepsEmptyPieces) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("a;b", ','), ElementsAre("a;b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Trimmed, LosesWhiteSpaceAtBothEndsOnly) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace skua
