// Makers by name.
#include <text/registry.hpp>

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skua {
namespace {

using ::testing::ElementsAre;
using Maker = std::function<int()>;

TEST(Registry, FindsWhatItHadAtFirstAndWhatWasAdded) {
  Registry<Maker> registry({{"two", [] { return 2; }}});
  EXPECT_TRUE(registry.add("one", [] { return 1; }));
  EXPECT_EQ(registry.find("one")(), 1);
  EXPECT_EQ(registry.find("two")(), 2);
  EXPECT_FALSE(registry.find("three"));
  EXPECT_THAT(registry.names(), ElementsAre("one", "two"));
}

TEST(Registry, KeepsTheFirstOfAName) {
  Registry<Maker> registry({{"two", [] { return 2; }}});
  EXPECT_FALSE(registry.add("two", [] { return 3; }));
  EXPECT_EQ(registry.find("two")(), 2);
}

}  // namespace
}  // namespace skua
