#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include <threads/waiting.hpp>

namespace skua {
namespace {

/// When the end of a launch is seen that takes `truth_ns` and is forecast to take `forecast_ns`, by sleeps alone.
std::int64_t seen_after_ns(std::int64_t truth_ns, std::int64_t forecast_ns) {
  constexpr std::int64_t late_wake_up_ns = 60'000;
  std::int64_t now_ns = 0;
  while (now_ns < truth_ns) {
    const std::int64_t sleep = sleep_ns(now_ns, 0, forecast_ns);
    now_ns += sleep > 0 ? sleep + late_wake_up_ns : 1'000;
  }
  return now_ns;
}

TEST(Waiting, CostsAtMostAThirdOfTheTruthWhateverWasForecast) {
  for (const std::int64_t truth_ns : {300'000LL, 1'000'000LL, 40'000'000LL, 2'000'000'000LL}) {
    for (const std::int64_t factor : {1, 2, 10, 1'000, 1'000'000}) {
      const std::int64_t forecast_ns = std::min<std::int64_t>(truth_ns * factor, 1'000'000'000'000'000);
      const double seen = static_cast<double>(seen_after_ns(truth_ns, forecast_ns));
      EXPECT_LE(seen, 1.34 * static_cast<double>(truth_ns) + 110'000) << truth_ns << " forecast " << factor << "-fold";
    }
  }
}

TEST(Waiting, SleepsMostOfALongLaunchThatIsForecastRightly) {
  std::int64_t now_ns = 0;
  int sleeps = 0;
  for (std::int64_t sleep = 1; sleep > 0; now_ns += sleep) {
    sleep = sleep_ns(now_ns, 0, 1'000'000'000);
    ++sleeps;
  }
  EXPECT_LT(sleeps, 100);
  EXPECT_GT(now_ns, 999'000'000);
}

TEST(Waiting, DoesNotSleepWhenTheMomentIsNear) {
  EXPECT_EQ(sleep_ns(1'000'000'000, 0, 1'000'100'000), 0);
  EXPECT_EQ(sleep_ns(1'000'000'000, 0, 5), 0);
}

TEST(Awake, IsAThreadForLongerThanThePauseBetweenAProgramsSteps) {
  EXPECT_EQ(awake_ns(0), warm_ns);
  EXPECT_EQ(awake_ns(2'000'000), 3'000'000);
  EXPECT_EQ(awake_ns(4'000'000), 5'000'000);
  EXPECT_EQ(awake_ns(6'000'000), warm_ns) << "nothing is gained by waiting for what comes so much later";
}

TEST(Bounded, IsWhatIsAskedForAndNoMomentBeyondTheClock) {
  EXPECT_EQ(bounded(std::chrono::milliseconds(7)).count(), 7'000'000);
  EXPECT_EQ(bounded(std::chrono::milliseconds(-7)).count(), 0);
  const std::int64_t for_ever = bounded(std::chrono::milliseconds::max()).count();
  EXPECT_GT(for_ever, 300'000'000'000'000'000);
  EXPECT_LT(for_ever, std::numeric_limits<std::int64_t>::max() / 8) << "sums of some still fit";
}

}  // namespace
}  // namespace skua
