// A GPU's clock beside the host's.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include <gpu/end_times.hpp>

#include "support/hip_stub.hpp"

namespace skua {
namespace {

constexpr std::int64_t ms = 1'000'000;

/// An end that the host saw at once: the launch ran 1 us ago.
std::int64_t seen_at_once(EndTimes& times, std::uint64_t mark, std::int64_t now_ns) {
  times.found_running(now_ns - 1'000);
  const std::int64_t end_ns = times.end_ns(mark, now_ns);
  times.ended(0, end_ns);
  return end_ns;
}

TEST(EndTimes, AreTakenFromTheGpusClockWhereTheHostLooksLate) {
  EndTimes times(TickLength(10.0));
  EXPECT_EQ(seen_at_once(times, 1'000, 5 * ms), 5 * ms);
  EXPECT_EQ(times.end_ns(1'000 + 30'000, 9 * ms), 5 * ms + 300'000) << "30,000 ticks of 10 ns later";
}

TEST(EndTimes, AreNotLaterThanNow) {
  EndTimes times(TickLength(10.0));
  seen_at_once(times, 1'000, 5 * ms);
  EXPECT_EQ(times.end_ns(10'000'000, 6 * ms), 6 * ms);
}

TEST(EndTimes, AreThoseOfTheLooksWhereTheClockIsNotKnown) {
  EndTimes times(TickLength(std::nullopt));
  seen_at_once(times, 1'000, 5 * ms);
  EXPECT_EQ(times.end_ns(31'000, 9 * ms), 9 * ms);
}

TEST(EndTimes, AreThoseOfTheLooksWhereAKernelLeftNoTime) {
  EndTimes times(TickLength(1.0));
  seen_at_once(times, 5'000'000, 5 * ms);
  EXPECT_EQ(times.end_ns(1, 9 * ms), 9 * ms);
  EXPECT_EQ(times.end_ns(12'000'000, 13 * ms), 13 * ms) << "there is no mark before it to count from";
}

TEST(EndTimes, LearnTheClockFromMarksThatWereSeenAtOnce) {
  EndTimes times(TickLength(std::nullopt));
  seen_at_once(times, 1'000'000, 10 * ms);
  seen_at_once(times, 1'050'000, 10 * ms + ms / 2);
  EXPECT_EQ(times.end_ns(1'100'000, 12 * ms), 12 * ms) << "half a millisecond is too short to learn from";
  // 100 MHz over 10 ms.
  seen_at_once(times, 2'000'000, 20 * ms);
  EXPECT_EQ(times.end_ns(2'040'000, 30 * ms), 20 * ms + 400'000);
}

TEST(EndTimes, BeginAnewBehindWhatHeldLaunchesBack) {
  EndTimes times(TickLength(10.0));
  seen_at_once(times, 1'000, 5 * ms);
  times.held_back_until(8 * ms);
  EXPECT_EQ(times.last_end_ns(), 8 * ms);
  EXPECT_EQ(times.end_ns(31'000, 9 * ms), 9 * ms) << "the mark before was of another time";
}

TEST(TickLength, IsWhatTheRuntimeSays) {
  hip_stub::State& stub = hip_stub::reset();
  EXPECT_EQ(told_tick_ns(0), std::nullopt) << "HIP before ROCm 5.6 does not say";
  stub.wall_clock_khz = 100'000;
  EXPECT_EQ(told_tick_ns(0), 10.0);
}

}  // namespace
}  // namespace skua
