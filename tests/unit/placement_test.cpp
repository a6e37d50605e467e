#include <gtest/gtest.h>

#include <limits>

#include <skua/placement.hpp>

namespace skua {
namespace {

std::uint32_t total(const std::vector<Interval>& shares) {
  std::uint32_t next = 0;
  for (const Interval& share : shares) {
    EXPECT_EQ(share.front, next);
    next = share.back;
  }
  return next;
}

TEST(Placement, DealsOutEveryGranuleOnce) {
  for (const std::uint32_t granules : {0u, 1u, 2u, 7u, 1000u, 1u << 31}) {
    EXPECT_EQ(total(place(granules, {1, 2, 3})), granules);
    EXPECT_EQ(total(place(granules, std::vector<double>(50, 1.0))), granules);
  }
}

TEST(Placement, FollowsTheWeights) {
  const auto shares = place(1000, {1, 3});
  EXPECT_EQ(shares[0].size(), 250u);
  EXPECT_EQ(shares[1].size(), 750u);
}

TEST(Placement, GivesNothingToAWeightThatIsNone) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto shares = place(100, {none, 1, 0, -5, 1, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(total(shares), 100u);
  EXPECT_EQ(shares[0].size() + shares[2].size() + shares[3].size(), 0u);
  EXPECT_EQ(shares[1].size(), 50u);
  EXPECT_EQ(shares[4].size(), 50u);
}

TEST(Placement, IsEvenWhenNoWeightSaysAnything) {
  const auto shares = place(10, {0, 0});
  EXPECT_EQ(shares[0].size(), 5u);
  EXPECT_EQ(total(shares), 10u);
}

}  // namespace
}  // namespace skua
