// Costs of places, learnt from the times of chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <decide/place_costs.hpp>

namespace skua {
namespace {

constexpr int chunks = 200;

/// A device that ran chunks [from, to) of 200 equal ones, at so many loops a second, where each costs what `cost` says,
/// and was thought to cost what all do.
template <class Cost>
PlaceTimes run(int from, int to, double rate, Cost cost) {
  PlaceTimes times;
  for (int chunk = from; chunk < to; ++chunk) {
    times.add({chunk / double{chunks}, (chunk + 1) / double{chunks}, 1.0 / chunks, cost(chunk) / chunks / rate});
  }
  return times;
}

double even(int) {
  return 1;
}

double cost_at(const PlaceCosts& costs, double point) {
  return (costs.before(point + 1e-6) - costs.before(point)) * 1e6;
}

TEST(PlaceCosts, AreEvenWhileNothingIsKnown) {
  const PlaceCosts costs;
  EXPECT_TRUE(costs.is_even());
  EXPECT_DOUBLE_EQ(costs.before(0.25), 0.25);
  EXPECT_DOUBLE_EQ(costs.point_after(0.25), 0.25);
}

TEST(PlaceCosts, StayEvenWhateverTheDevicesDiffer) {
  const PlaceTimes fast = run(0, 150, 3, even);
  const PlaceTimes slow = run(150, chunks, 1, [](int chunk) { return chunk % 2 == 0 ? 1.05 : 0.95; });
  EXPECT_TRUE(PlaceCosts().after({&fast, &slow}).is_even());
}

TEST(PlaceCosts, FindADearPlaceWhoeverRanIt) {
  const auto cost = [](int chunk) { return chunk == 100 || chunk == 101 ? 50.0 : 1.0; };
  const PlaceTimes one = run(0, 101, 2, cost);
  const PlaceTimes other = run(101, chunks, 1, cost);
  const PlaceCosts costs = PlaceCosts().after({&one, &other});
  EXPECT_NEAR(cost_at(costs, 0.502) / cost_at(costs, 0.1), 50, 1e-3);
  EXPECT_NEAR(cost_at(costs, 0.507) / cost_at(costs, 0.9), 50, 1e-3);
  EXPECT_NEAR(costs.before(1), 1, 1e-12);
  EXPECT_NEAR(costs.point_after(costs.before(0.4)), 0.4, 1e-12);
}

TEST(PlaceCosts, EndWhereTheChunksEnded) {
  PlaceTimes times;
  times.add({0, 0.4999, 0.4999, 0.4999});
  times.add({0.4999, 0.5, 0.0001, 0.3});
  times.add({0.5, 1, 0.5, 0.5});
  const PlaceCosts costs = PlaceCosts().after({&times});
  EXPECT_NEAR((costs.before(0.5) - costs.before(0.4999)) / costs.before(0.4999), 0.3 / 0.4999, 1e-6);
  EXPECT_DOUBLE_EQ(costs.next_border(0.3), 0.4999);
  EXPECT_DOUBLE_EQ(costs.next_border(0.4999), 0.5);
  EXPECT_DOUBLE_EQ(costs.next_border(0.7), 1);
}

TEST(PlaceCosts, SetWhatAnEndIsLateAgainstWhatComesAfterIt) {
  const auto learnt = [](bool overlap) {
    PlaceTimes times;
    times.set_overlap(overlap);
    for (int i = 0; i < 10; ++i) {
      const double seconds = i == 4 ? 0.19 : i == 5 ? 0.01 : 0.1;
      times.add({i / 10.0, (i + 1) / 10.0, 0.1, seconds});
    }
    return PlaceCosts().after({&times});
  };
  EXPECT_TRUE(learnt(true).is_even());
  EXPECT_FALSE(learnt(false).is_even());
}

TEST(PlaceCosts, TakeWhatALaunchCostsForNoCostOfPlaces) {
  PlaceTimes times;
  times.set_slack(0.02);
  double from = 0;
  for (double part = 0.5; part > 1e-3; part /= 2) {
    times.add({from, from + part, part, part + 0.01});
    from += part;
  }
  EXPECT_TRUE(PlaceCosts().after({&times}).is_even());
}

TEST(PlaceCosts, ForgetAPlaceThatIsNotDearAnyMore) {
  const PlaceTimes before = run(0, chunks, 1, [](int chunk) { return chunk == 100 ? 50.0 : 1.0; });
  const PlaceCosts costs = PlaceCosts().after({&before});
  ASSERT_FALSE(costs.is_even());
  PlaceTimes now;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const double from = chunk / double{chunks};
    const double to = (chunk + 1) / double{chunks};
    now.add({from, to, costs.before(to) - costs.before(from), 1.0 / chunks});
  }
  EXPECT_TRUE(costs.after({&now}).is_even());
}

TEST(PlaceCosts, ForgetADearPlaceWhoseChunksAreEachShorterByLittle) {
  const PlaceTimes before = run(0, chunks, 1, [](int chunk) { return chunk == 100 ? 50.0 : 1.0; });
  const PlaceCosts costs = PlaceCosts().after({&before});
  PlaceTimes now;
  now.set_slack(0.03);
  const auto take = [&](double from, double to) {
    now.add({from, to, costs.before(to) - costs.before(from), to - from});
  };
  for (int chunk = 0; chunk < 100; ++chunk) take(chunk / double{chunks}, (chunk + 1) / double{chunks});
  for (int piece = 0; piece < 10; ++piece) take(0.5 + 0.0005 * piece, 0.5 + 0.0005 * (piece + 1));
  for (int chunk = 101; chunk < chunks; ++chunk) take(chunk / double{chunks}, (chunk + 1) / double{chunks});
  EXPECT_TRUE(costs.after({&now}).is_even());
}

TEST(PlaceCosts, KeepWhatIsKnownOfPlacesThatNobodyRan) {
  const PlaceTimes all = run(0, chunks, 1, [](int chunk) { return chunk >= 180 ? 10.0 : 1.0; });
  const PlaceCosts known = PlaceCosts().after({&all});
  PlaceTimes some;
  for (int chunk = 0; chunk < 100; ++chunk) {
    const double from = chunk / double{chunks};
    const double to = (chunk + 1) / double{chunks};
    some.add({from, to, known.before(to) - known.before(from), chunk < 10 ? 3.0 : 1.0});
  }
  const PlaceCosts costs = known.after({&some});
  EXPECT_NEAR(cost_at(costs, 0.01) / cost_at(costs, 0.8), 3, 1e-3);
  EXPECT_NEAR(cost_at(costs, 0.95) / cost_at(costs, 0.8), 10, 1e-3);
}

TEST(PlaceCosts, TakeAPlaceThatTwoDevicesRanOnce) {
  const PlaceTimes one = run(0, 120, 1, even);
  const PlaceTimes copies = run(80, chunks, 1, even);
  const PlaceTimes dear = run(190, chunks, 1, [](int) { return 20.0; });
  const PlaceCosts costs = PlaceCosts().after({&one, &copies, &dear});
  EXPECT_NEAR(costs.before(1), 1, 1e-12);
}

TEST(PlaceTimes, OfVeryManyChunksAreJoined) {
  constexpr int many = 100'000;
  PlaceTimes times;
  for (int chunk = 0; chunk < many; ++chunk) {
    const double cost = chunk >= many / 2 ? 3 : 1;
    times.add({chunk / double{many}, (chunk + 1) / double{many}, 1.0 / many, cost / many});
  }
  EXPECT_LE(times.parts().size(), 2048u);
  const PlaceCosts costs = PlaceCosts().after({&times});
  EXPECT_NEAR(costs.before(0.5), 0.25, 1e-2);
}

TEST(PlaceCosts, KeepAtMostSoManyStretchesApart) {
  const PlaceTimes times = run(0, chunks, 1, [](int chunk) { return 1.0 + 9 * (chunk % 2); });
  PlaceTimes more = times;
  for (int i = 0; i < 800; ++i) more.add({i / 800.0, (i + 1) / 800.0, 1 / 800.0, (1.0 + 9 * (i % 2)) / 800});
  const PlaceCosts costs = PlaceCosts().after({&more});
  EXPECT_NEAR(costs.before(1), 1, 1e-12);
  EXPECT_NEAR(costs.before(0.5), 0.5, 0.1);
}

}  // namespace
}  // namespace skua
