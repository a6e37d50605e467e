#include <gtest/gtest.h>

#include <typeinfo>

#include <run/rate_memory.hpp>

namespace skua {
namespace {

LoopKey loop(const std::string& name) {
  return {typeid(int), name};
}

void teach(RateMemory& memory, const LoopKey& key) {
  auto feedback = memory.of(key);
  feedback->devices.at(0).add_chunk(10, 10);
  feedback->devices.at(0).add_chunk(10, 10);
}

TEST(RateMemory, KeepsLoopsOfOtherKernelsAndOtherNamesApart) {
  RateMemory memory(2);
  teach(memory, {typeid(int), "a"});
  EXPECT_TRUE(memory.of({typeid(int), "a"})->devices.at(0).items_per_second());
  EXPECT_FALSE(memory.of({typeid(long), "a"})->devices.at(0).items_per_second());
  EXPECT_FALSE(memory.of({typeid(int), "b"})->devices.at(0).items_per_second());
}

TEST(RateMemory, ForgetsTheLoopThatRanLongestAgo) {
  RateMemory memory(1);
  teach(memory, loop("first"));
  teach(memory, loop("second"));
  for (std::size_t i = 0; i + 2 < RateMemory::loops_max; ++i) memory.of(loop(std::to_string(i)));
  EXPECT_TRUE(memory.of(loop("first"))->devices.at(0).items_per_second()) << "all that fit are remembered";
  memory.of(loop("one more"));
  EXPECT_TRUE(memory.of(loop("first"))->devices.at(0).items_per_second());
  EXPECT_FALSE(memory.of(loop("second"))->devices.at(0).items_per_second());
}

}  // namespace
}  // namespace skua
