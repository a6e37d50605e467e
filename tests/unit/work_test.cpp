// Granules as work, and back.
#include <gtest/gtest.h>

#include <job/work.hpp>

namespace skua {
namespace {

/// The second half of the loop costs three times the first.
PlaceCosts half_dear() {
  PlaceTimes times;
  times.add({0, 0.5, 0.5, 1});
  times.add({0.5, 1, 0.5, 3});
  return PlaceCosts().after({&times});
}

TEST(Work, IsItemsWhereAllCostTheSame) {
  const Work work(Granules(95, 10), PlaceCosts());
  EXPECT_DOUBLE_EQ(work.of({0, 3}), 30);
  EXPECT_DOUBLE_EQ(work.of({8, 10}), 15) << "the last granule is short";
  EXPECT_EQ(work.granules_in_front({2, 9}, 30), 3u);
  EXPECT_EQ(work.granules_in_front({2, 9}, 31), 4u);
  EXPECT_EQ(work.granules_in_front({2, 9}, 0), 1u);
  EXPECT_EQ(work.granules_at_back({2, 9}, 14), 1u);
  EXPECT_EQ(work.granules_at_back({2, 9}, 4), 0u);
  EXPECT_EQ(work.granules_at_back({2, 9}, 1e9), 7u);
}

TEST(Work, FollowsTheCostsOfPlaces) {
  const Work work(Granules(1024, 1), half_dear());
  EXPECT_NEAR(work.of({0, 512}), 256, 1e-6);
  EXPECT_NEAR(work.of({512, 1024}), 768, 1e-6);
  EXPECT_EQ(work.granules_in_front({0, 1024}, 128), 256u);
  EXPECT_EQ(work.granules_in_front({512, 1024}, 150), 100u);
  EXPECT_EQ(work.granules_at_back({0, 1024}, 768), 512u);
  EXPECT_EQ(work.border_in({0, 1024}, 512), 683u) << "a third of the dear half";
}

}  // namespace
}  // namespace skua
