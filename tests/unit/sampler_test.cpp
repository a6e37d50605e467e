// When sensors are asked, and what is made of their answers.
#include <load/sampler.hpp>

#include <atomic>
#include <functional>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <load/rounds.hpp>

namespace skua {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t interval_ns = 50'000'000;
const GpuAddress first{{0, 1, 0, 0}, std::nullopt};
const GpuAddress second{{0, 2, 0, 0}, std::nullopt};

class ManualClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return ns; }
  std::int64_t ns = 1000;
};

class FunctionSensor final : public Sensor {
 public:
  explicit FunctionSensor(std::function<SensorAnswer()> function) : function_(std::move(function)) {}
  SensorAnswer sample() override { return function_(); }

 private:
  std::function<SensorAnswer()> function_;
};

template <class... Functions>
Sensors sensors_of(Functions... functions) {
  Sensors sensors;
  (sensors.push_back(std::make_unique<FunctionSensor>(functions)), ...);
  return sensors;
}

SensorAnswer busy(const GpuAddress& gpu, double part) {
  GpuLoad load;
  load.busy = part;
  return {{{gpu, load}}, std::nullopt};
}

TEST(SensorRounds, JoinsSensorsByAddressAndLetsTheFirstWin) {
  ManualClock clock;
  SensorRounds rounds(sensors_of(
                          [] {
                            GpuLoad load;
                            load.own_occupancy = 0.5;
                            load.others_present = false;
                            return SensorAnswer{{{second, load}}, std::nullopt};
                          },
                          [] {
                            GpuLoad load;
                            load.own_occupancy = 0.9;
                            load.busy = 0.7;
                            return SensorAnswer{{{first, load}, {second, load}}, std::nullopt};
                          }),
                      clock, interval_ns);
  rounds.run();
  EXPECT_EQ(rounds.load(first).own_occupancy, 0.9);
  EXPECT_EQ(rounds.load(second).own_occupancy, 0.5);
  EXPECT_EQ(rounds.load(second).others_present, false);
  EXPECT_EQ(rounds.load(second).busy, 0.7);
  EXPECT_EQ(rounds.load(second).at_ns, 1000);
  EXPECT_EQ(rounds.load({{0, 2, 0, 0}, 1u}), GpuLoad());
}

TEST(SensorRounds, ForgetsWhatASensorNoLongerSays) {
  ManualClock clock;
  int asked = 0;
  SensorRounds rounds(sensors_of([&] { return ++asked == 1 ? busy(first, 0.5) : SensorAnswer(); }), clock, interval_ns);
  rounds.run();
  EXPECT_EQ(rounds.load(first).busy, 0.5);
  clock.ns += interval_ns;
  rounds.run();
  EXPECT_EQ(rounds.load(first), GpuLoad());
}

TEST(SensorRounds, AsksAtTheIntervalAndASlowSensorLessOften) {
  ManualClock clock;
  int quick_asked = 0;
  int slow_asked = 0;
  SensorRounds rounds(sensors_of([&] { return ++quick_asked, SensorAnswer(); },
                                 [&] {
                                   ++slow_asked;
                                   clock.ns += interval_ns;
                                   return SensorAnswer();
                                 }),
                      clock, interval_ns);
  rounds.run();
  EXPECT_EQ(rounds.due_ns(), 1000 + interval_ns);
  for (int round = 0; round < 8; ++round) {
    rounds.run();
    clock.ns += interval_ns;
  }
  EXPECT_EQ(quick_asked, 9);
  EXPECT_EQ(slow_asked, 1);
  clock.ns += 2 * interval_ns;
  rounds.run();
  EXPECT_EQ(slow_asked, 2);
}

TEST(SensorRounds, DropsAFailedSensorWithOneNote) {
  ManualClock clock;
  int asked = 0;
  SensorRounds rounds(
      sensors_of(
          [&] {
            return ++asked == 1 ? busy(first, 0.5) : SensorAnswer{{}, "broken"};
          },
          []() -> SensorAnswer { throw std::runtime_error("thrown"); }, [] { return busy(second, 0.25); }),
      clock, interval_ns);
  for (int round = 0; round < 5; ++round) {
    rounds.run();
    clock.ns += interval_ns;
  }
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(rounds.notes(), ElementsAre(HasSubstr("thrown"), "broken"));
  EXPECT_EQ(rounds.load(first), GpuLoad());
  EXPECT_EQ(rounds.load(second).busy, 0.25);
}

TEST(SensorRounds, HasNothingDueWithoutSensors) {
  ManualClock clock;
  SensorRounds rounds({}, clock, interval_ns);
  rounds.run();
  EXPECT_EQ(rounds.due_ns(), std::nullopt);
}

TEST(Sampler, OpensNoSensorUntilAGpuIsWatched) {
  const SteadyClock clock;
  bool is_opened = false;
  {
    Sampler sampler(clock, {20.0, [&] { return is_opened = true, Sensors(); }});
    EXPECT_EQ(sampler.latest(first), GpuLoad());
  }
  EXPECT_FALSE(is_opened);
}

TEST(Sampler, ShowsTheLatestReadingsOfWatchedGpus) {
  const SteadyClock clock;
  std::counting_semaphore<> asked(0);
  std::atomic<double> part = 0.25;
  const auto open = [&] {
    return sensors_of([&] {
      asked.release();
      return busy(first, part);
    });
  };
  Sampler sampler(clock, {100.0, open});
  sampler.watch(first);
  sampler.watch(first);
  // A reading is out before the sensor is asked again.
  asked.acquire();
  asked.acquire();
  EXPECT_EQ(sampler.latest(first).busy, 0.25);
  EXPECT_TRUE(sampler.latest(first).at_ns.has_value());
  EXPECT_EQ(sampler.latest(second), GpuLoad());
  part = 0.75;
  while (sampler.latest(first).busy != 0.75) std::this_thread::yield();
}

TEST(Sampler, AsksOnAThreadOfItsOwn) {
  const SteadyClock clock;
  std::binary_semaphore asked(0);
  std::thread::id thread;
  bool is_first = true;
  const auto open = [&] {
    return sensors_of([&] {
      if (std::exchange(is_first, false)) {
        thread = std::this_thread::get_id();
        asked.release();
      }
      return SensorAnswer();
    });
  };
  Sampler sampler(clock, {20.0, open});
  sampler.watch(first);
  asked.acquire();
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST(Sampler, MakesANoteOfASensorThatFails) {
  const SteadyClock clock;
  Sampler sampler(clock, {20.0, [] { return sensors_of([] { return SensorAnswer{{}, "broken"}; }); }});
  sampler.watch(first);
  while (sampler.notes().empty()) std::this_thread::yield();
  EXPECT_THAT(sampler.notes(), ElementsAre("broken"));
  EXPECT_EQ(sampler.latest(first), GpuLoad());
}

TEST(Sampler, OutlivesSensorsThatCannotBeOpened) {
  const SteadyClock clock;
  Sampler sampler(clock, {20.0, []() -> Sensors { throw std::runtime_error("no memory for them"); }});
  sampler.watch(first);
  while (sampler.notes().empty()) std::this_thread::yield();
  EXPECT_THAT(sampler.notes(), ElementsAre(HasSubstr("no memory for them")));
}

TEST(Sampler, IsReadByManyThreadsWhileItSamples) {
  const SteadyClock clock;
  Sampler sampler(clock, {100.0, [] { return sensors_of([] { return busy(first, 0.5); }); }});
  std::atomic<int> seen = 0;
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&] {
      sampler.watch(first);
      while (sampler.latest(first).busy != 0.5) std::this_thread::yield();
      ++seen;
    });
  }
  readers.clear();
  EXPECT_EQ(seen, 4);
}

}  // namespace
}  // namespace skua
