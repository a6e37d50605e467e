#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <skua/detail/partials.hpp>
#include <skua/reduction.hpp>

namespace skua {
namespace {

Partials cut(const std::vector<double>& values, const std::vector<std::uint32_t>& borders) {
  Partials partials;
  partials.bytes_each = sizeof(double);
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    partials.pieces.push_back(
        {{borders[i], borders[i + 1]}, reinterpret_cast<const std::byte*>(values.data() + borders[i])});
  }
  return partials;
}

TEST(Reduction, HasTheSameBitsHoweverItsResultsLie) {
  std::vector<double> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / (3.0 + static_cast<double>(i * i));
  const double whole = combine_partials(cut(values, {0, 1001}), 0.25, Plus{});
  EXPECT_EQ(combine_partials(cut(values, {0, 1, 500, 777, 1001}), 0.25, Plus{}), whole);
  EXPECT_NE(whole, std::accumulate(values.begin(), values.end(), 0.25)) << "a tree, not a row";
}

TEST(Reduction, IsTheTreeOfNeighboursLevelByLevel) {
  for (std::uint32_t count = 1; count < 700; ++count) {
    std::vector<double> values(count);
    for (std::uint32_t i = 0; i < count; ++i) values[i] = 1.0 / (3.0 + i);
    const double sum = combine_partials(cut(values, {0, count}), 0.0, Plus{});
    for (std::size_t size = count; size > 1; size = (size + 1) / 2) {
      for (std::size_t i = 0; i < size / 2; ++i) values[i] = values[2 * i] + values[2 * i + 1];
      if (size % 2 == 1) values[size / 2] = values[size - 1];
    }
    ASSERT_EQ(sum, values[0]) << count << " granules";
  }
}

TEST(Reduction, KeepsTheOrderForCombinationsThatAreNotCommutative) {
  const std::vector<double> values = {1, 2, 3, 4, 5};
  const auto second = [](double, double right) { return right; };
  EXPECT_EQ(combine_partials(cut(values, {0, 5}), 0.0, second), 5);
  const auto first = [](double left, double) { return left; };
  EXPECT_EQ(combine_partials(cut(values, {0, 5}), 9.0, first), 9);
}

TEST(Reduction, GivesTheInitialValueWhenThereIsNothing) {
  EXPECT_EQ(combine_partials(Partials{}, 4.0, Plus{}), 4.0);
}

TEST(Sums, AddElementByElement) {
  const Sums<3> sum = Sums<3>{{1, 2, 3}} + Sums<3>{{10, 20, 30}};
  EXPECT_THAT(sum.values, testing::ElementsAre(11, 22, 33));
}

}  // namespace
}  // namespace skua
