#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include <decide/placement.hpp>

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

TEST(PlacementWeights, AreTheRatesWhereAllAreKnown) {
  EXPECT_EQ(placement_weights({{3e9, 1}, {1e9, 1}, {2e9, 1, false}}, 8192, 1e9), (std::vector<double>{3e9, 1e9, 0}));
}

TEST(PlacementWeights, AreTheGuessesWhereNoneIsKnown) {
  EXPECT_EQ(placement_weights({{std::nullopt, 4}, {std::nullopt, 1}}, 8192, 1e9), (std::vector<double>{4, 1}));
}

TEST(PlacementWeights, TakeGuessesForWhatThoseOfMeasuredDevicesWereWorth) {
  EXPECT_EQ(placement_weights({{3e9, 10}, {1e9, 10}, {std::nullopt, 5}}, 8192, 1e9),
            (std::vector<double>{3e9, 1e9, 1e9}));
}

TEST(PlacementWeights, LeaveAGranuleForEveryDeviceThatWasNeverMeasured) {
  for (const std::uint32_t granules : {36u, 100u, 8191u, 8192u}) {
    for (std::size_t place_of_slow = 0; place_of_slow < 9; ++place_of_slow) {
      std::vector<PlacedDevice> devices(9, PlacedDevice{std::nullopt, 3590});
      devices[place_of_slow].rate_guess = 1e-9;
      const auto shares = place(granules, placement_weights(devices, granules, granules));
      EXPECT_EQ(total(shares), granules);
      EXPECT_GE(shares[place_of_slow].size(), 1u) << granules << " granules, device " << place_of_slow;
      EXPECT_LE(shares[place_of_slow].size(), 2u) << granules << " granules, device " << place_of_slow;
    }
  }
}

TEST(PlacementWeights, LeaveNoneForADeviceThatIsKnownToTakeLongerForItThanTheJob) {
  const auto shares = place(1000, placement_weights({{1e9, 1}, {1e3, 1}}, 1000, 1000));
  EXPECT_EQ(shares[1].size(), 0u);
}

TEST(PlacementWeights, LeaveDevicesAsleepThatSpareLessThanTheyCost) {
  const auto weights = [](double work, std::vector<PlacedDevice> devices) {
    return placement_weights(devices, 8192, work);
  };
  const PlacedDevice gpu{1e9, 1};
  const PlacedDevice core{1e7, 1, true, true};
  EXPECT_EQ(weights(5e6, {gpu, core}), (std::vector<double>{1e9, 0})) << "of 5 ms it would spare 50 us";
  EXPECT_EQ(weights(5e7, {gpu, core}), (std::vector<double>{1e9, 1e7}));
  EXPECT_EQ(weights(5e6, {core, core}), (std::vector<double>{1e7, 1e7})) << "nobody is awake";
  EXPECT_EQ(weights(5e6, {gpu, {std::nullopt, 1, true, true}})[1], 1e9) << "nobody knows";
}

}  // namespace
}  // namespace skua
