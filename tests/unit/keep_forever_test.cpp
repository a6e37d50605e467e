// What is kept is never destroyed.
#include <system/keep_forever.hpp>

#include <memory>
#include <utility>

#include <gtest/gtest.h>

namespace skua {
namespace {

TEST(KeepForever, DestroysNothingOfTheSameTypeEither) {
  auto first = std::make_shared<int>(1);
  auto second = std::make_shared<int>(2);
  const std::weak_ptr<int> watched_first = first;
  const std::weak_ptr<int> watched_second = second;
  keep_forever(std::move(first));
  keep_forever(std::move(second));
  EXPECT_FALSE(watched_first.expired());
  EXPECT_FALSE(watched_second.expired());
}

}  // namespace
}  // namespace skua
