#include <gtest/gtest.h>

#include <decide/load_watch.hpp>

namespace skua {
namespace {

GpuLoad others_take(std::optional<double> part, std::int64_t at_ns) {
  GpuLoad load;
  load.others_busy = part;
  load.at_ns = at_ns;
  return load;
}

TEST(LoadWatch, ChangesNothingWhileNothingIsKnown) {
  LoadWatch watch;
  watch.see({});
  watch.see(others_take(std::nullopt, 1));
  watch.see(others_take(std::nullopt, 2));
  EXPECT_EQ(watch.take_change(), 1);
  EXPECT_EQ(watch.own_occupancy(), std::nullopt);
}

TEST(LoadWatch, LowersRatesOnceWhenTwoReadingsAgreeThatAnotherProcessCame) {
  LoadWatch watch;
  watch.see(others_take(0, 1));
  watch.see(others_take(0, 2));
  watch.see(others_take(0.5, 3));
  EXPECT_EQ(watch.take_change(), 1) << "a single reading says nothing";
  watch.see(others_take(0.5, 4));
  EXPECT_DOUBLE_EQ(watch.take_change(), 0.5);
  EXPECT_EQ(watch.take_change(), 1);
  watch.see(others_take(0, 5));
  watch.see(others_take(0, 6));
  EXPECT_DOUBLE_EQ(watch.take_change(), 2) << "it has gone again";
}

TEST(LoadWatch, CountsOneReadingOnce) {
  LoadWatch watch;
  watch.see(others_take(0, 1));
  watch.see(others_take(0, 2));
  for (int look = 0; look < 10; ++look) watch.see(others_take(0.5, 3));
  EXPECT_EQ(watch.take_change(), 1);
}

TEST(LoadWatch, LeavesToMeasuredChunksWhatTheyHaveShown) {
  LoadWatch watch;
  watch.see(others_take(0, 1));
  watch.see(others_take(0, 2));
  watch.see(others_take(0.5, 3));
  watch.see(others_take(0.5, 4));
  watch.rate_was_measured();
  EXPECT_EQ(watch.take_change(), 1);
}

TEST(LoadWatch, NeverTakesADeviceForFullyTaken) {
  LoadWatch watch;
  watch.see(others_take(0, 1));
  watch.see(others_take(0, 2));
  watch.see(others_take(1, 3));
  watch.see(others_take(1, 4));
  EXPECT_DOUBLE_EQ(watch.take_change(), 0.05);
}

TEST(LoadWatch, MeansTheOccupancyOverItsReadings) {
  LoadWatch watch;
  GpuLoad load;
  for (const double part : {0.2, 0.4}) {
    load.own_occupancy = part;
    load.at_ns = load.at_ns.value_or(0) + 1;
    watch.see(load);
  }
  EXPECT_DOUBLE_EQ(*watch.own_occupancy(), 0.3);
}

}  // namespace
}  // namespace skua
