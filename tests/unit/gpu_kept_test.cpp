// What is made once and kept.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gpu/kept.hpp>

namespace skua {
namespace {

using Key = std::pair<int, int>;

TEST(Kept, IsMadeOnceForEachKeyWhoeverAsks) {
  Kept<Key, std::string> kept;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 400; ++i) {
        const int first = i % 4;
        const auto value = kept.get({first, 7}, [&] {
          ++made;
          return std::make_shared<const std::string>(std::to_string(first));
        });
        EXPECT_EQ(*value, std::to_string(first));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 4);
}

TEST(Kept, IsTheSameObjectForAllAndStaysWhenNobodyHasIt) {
  Kept<Key, int> kept;
  const auto make = [] { return std::make_shared<const int>(1); };
  const int* const first = kept.get({0, 1}, make).get();
  EXPECT_EQ(kept.get({0, 1}, make).get(), first);
  EXPECT_NE(kept.get({0, 2}, make).get(), first);
}

TEST(Kept, IsNotWhatCouldNotBeMade) {
  Kept<Key, int> kept;
  const auto fail = []() -> std::shared_ptr<const int> { throw std::runtime_error("not now"); };
  EXPECT_THROW(kept.get({0, 1}, fail), std::runtime_error);
  EXPECT_EQ(*kept.get({0, 1}, [] { return std::make_shared<const int>(2); }), 2);
}

}  // namespace
}  // namespace skua
