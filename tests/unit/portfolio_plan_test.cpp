// Tests of where the options of a portfolio lie in their one Job.
#include <monte_carlo/portfolio_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skua/input.hpp>

namespace {

using monte_carlo::plan_portfolio;
using monte_carlo::PortfolioPlan;
using monte_carlo::StretchSums;

std::string complaint(const std::vector<std::uint64_t>& items, std::uint64_t granule) {
  try {
    static_cast<void>(plan_portfolio(items, granule));
  } catch (const skua::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(PortfolioPlan, BeginsEveryOptionAtAGranuleOfItsOwn) {
  const PortfolioPlan plan = plan_portfolio({9, 1, 8}, 4);
  EXPECT_EQ(plan.granule_items(), 4u);
  ASSERT_EQ(plan.stretches.size(), 3u);
  EXPECT_EQ(plan.stretches[0].first_granule, 0u);
  EXPECT_EQ(plan.stretches[0].granules, 3u);
  EXPECT_EQ(plan.stretches[1].first_granule, 3u);
  EXPECT_EQ(plan.stretches[1].granules, 1u);
  EXPECT_EQ(plan.stretches[2].first_granule, 4u);
  EXPECT_EQ(plan.stretches[2].granules, 2u);
  EXPECT_EQ(plan.granules(), 6u);
  EXPECT_EQ(plan.items(), 24u);
}

TEST(PortfolioPlan, RoundsGranulesUpToPowersOfTwo) {
  EXPECT_EQ(plan_portfolio({9, 1, 8}, 1).granule_items(), 1u);
  EXPECT_EQ(plan_portfolio({9, 1, 8}, 3).granule_items(), 4u);
  EXPECT_EQ(plan_portfolio({9, 1, 8}, 250).granule_items(), 256u);
}

TEST(PortfolioPlan, ChoosesGranulesWithLittlePadding) {
  std::vector<std::uint64_t> items(3'000, 2'000);
  items.push_back(10'000'000);
  const PortfolioPlan plan = plan_portfolio(items, 0);
  EXPECT_LT(static_cast<double>(plan.items()), 1.04 * 16'000'000);
  EXPECT_LE(plan.granules(), 65'536u);
}

TEST(PortfolioPlan, ChoosesTheUsualGranuleForOneOption) {
  EXPECT_EQ(plan_portfolio({std::uint64_t{1} << 30}, 0).granule_items(), std::uint64_t{1} << 17);
}

TEST(PortfolioPlan, NamesWhatMakesTooManyGranulesOrPaths) {
  EXPECT_TRUE(complaint({std::uint64_t{1} << 40}, 4).starts_with("--granule: the portfolio would be 274877906944 "));
  EXPECT_TRUE(complaint({std::uint64_t{1} << 61, std::uint64_t{1} << 61, 1}, 0).starts_with("--portfolio: "));
  EXPECT_TRUE(complaint({std::uint64_t{1} << 61, 1}, std::uint64_t{1} << 62).starts_with("--portfolio: "));
  EXPECT_EQ(complaint({std::uint64_t{1} << 61, 1}, 0), "");
}

TEST(PortfolioPlan, AddsUpEachOptionFromItsOwnGranules) {
  const PortfolioPlan plan = plan_portfolio({9, 1, 8, 2}, 4);
  std::vector<skua::Sums<2>> values;
  for (int i = 0; i < 7; ++i) values.push_back({{double(1 << i), 1}});
  skua::Partials partials;
  // Granule 2 was not done, and nothing of the last option.
  partials.pieces.push_back({{0, 2}, reinterpret_cast<const std::byte*>(values.data())});
  partials.pieces.push_back({{3, 6}, reinterpret_cast<const std::byte*>(values.data() + 3)});
  const std::vector<StretchSums> sums = sums_by_stretch(plan, partials);
  ASSERT_EQ(sums.size(), 4u);
  EXPECT_EQ(sums[0].sums.values[0], 1 + 2);
  EXPECT_EQ(sums[0].items_done, 8u);
  EXPECT_EQ(sums[1].sums.values[0], 8);
  EXPECT_EQ(sums[1].items_done, 1u);
  EXPECT_EQ(sums[2].sums.values[0], 16 + 32);
  EXPECT_EQ(sums[2].items_done, 8u);
  EXPECT_EQ(sums[3].sums.values[0], 0);
  EXPECT_EQ(sums[3].items_done, 0u);
}

}  // namespace
