// Late chunks found and handed out, until the Job is stopped.
#include <gtest/gtest.h>

#include <job/late_finder.hpp>

namespace skua {
namespace {

class LateFinders : public testing::Test {
 protected:
  const Granules granules{20, 1};
  RateBoard rates{std::vector<RatedDevice>(2), 0};
  LateFinder late{granules, rates, true};

  LateFinders() {
    for (std::uint32_t device = 0; device < 2; ++device) rates.set_measured(device, 1e6);
  }
};

TEST_F(LateFinders, CopyNothingOnceTheJobIsStopped) {
  Flight* const flight = late.begin(1, {10, 20}, 1, 10);
  ASSERT_NE(flight, nullptr);
  ASSERT_TRUE(late.take(0, 1'000'000'000, 0));
  late.stop();
  EXPECT_TRUE(flight->was_interrupted());
  EXPECT_EQ(late.begin(1, {10, 20}, 1, 10), nullptr);
  EXPECT_FALSE(late.take(0, 3'000'000'000, 0));
}

TEST_F(LateFinders, ForecastCenturiesWithoutOverflow) {
  const Granules many(std::uint64_t{1} << 31, 1);
  for (std::uint32_t device = 0; device < 2; ++device) rates.set_measured(device, 1e-3);
  LateFinder finder(many, rates, true);
  ASSERT_NE(finder.begin(1, {0, std::uint32_t{1} << 31}, 1, Flight::no_forecast), nullptr);
  const auto next = finder.next_ns(0, 1'000);
  ASSERT_TRUE(next);
  EXPECT_GT(*next, 900'000'000'000'000'000);
}

}  // namespace
}  // namespace skua
