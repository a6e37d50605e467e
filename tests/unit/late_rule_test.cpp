#include <gtest/gtest.h>

#include <decide/late_rule.hpp>

namespace skua {
namespace {

TEST(Lateness, MakesACopyWorthwhileWhenItIsExpectedSooner) {
  EXPECT_FALSE(worth_copying({1'000, 2'000, 2e-6}));
  EXPECT_TRUE(worth_copying({1'000, 3'000, 1e-6})) << "the original still needs twice as long";
  EXPECT_FALSE(worth_copying({2'000, 2'000, 1e-9})) << "just on time";
  EXPECT_TRUE(worth_copying({5'000, 2'000, 2e-6})) << "late by more than a copy takes";
}

}  // namespace
}  // namespace skua
