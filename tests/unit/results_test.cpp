#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <job/results.hpp>

namespace skua {
namespace {

Memory bytes(std::initializer_list<char> values) {
  auto storage = std::make_shared<std::vector<char>>(values);
  return {{storage, storage->data()}, storage->size(), MemoryPlace::shared};
}

/// One byte a granule.
std::string text_of(const Results& results, const std::vector<Interval>& done) {
  std::string text;
  for (const Partials::Piece& piece : results.partials(done).pieces) {
    text += std::string(reinterpret_cast<const char*>(piece.first), piece.granules.size()) + '|';
  }
  return text;
}

TEST(Results, AreWhatTheGranulesThatAreDoneLeft) {
  Results results(1);
  results.add({10, 16}, bytes({'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(*static_cast<char*>(results.of(12)), 'c');
  EXPECT_EQ(text_of(results, {{10, 12}, {14, 16}}), "ab|ef|");
}

TEST(Results, OfCopiesStandForThoseOfTheOriginal) {
  Results results(1);
  results.add({0, 4}, bytes({'a', 'b', 'c', 'd'}));
  const Memory copy = bytes({'X', 'Y'});
  results.replace({1, 3}, copy.at(0), copy);
  EXPECT_EQ(text_of(results, {{0, 4}}), "a|XY|d|");
}

TEST(Results, OfWhatAJobReceivedLieInMemoryOfTheirOwn) {
  Results results(1);
  results.add({0, 2}, bytes({'a', 'b'}));
  results.add({2, 4}, bytes({'c', 'd'}));
  EXPECT_EQ(text_of(results, {{0, 4}}), "ab|cd|");
}

TEST(Results, AreNoneForALoopThatLeavesNone) {
  Results results(0);
  EXPECT_EQ(results.of(3), nullptr);
  EXPECT_TRUE(results.partials({{0, 4}}).pieces.empty());
}

}  // namespace
}  // namespace skua
