// What the default policy reaches in the named scenarios, with the real Workers over simulated devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include <skua/simulate.hpp>
#include <skua/summary.hpp>

namespace skua {
namespace {

struct Target {
  std::string scenario;
  double median = 0.99;
  double worst = 0.97;
  double imbalance = 0.02;  ///< of the median seed
  std::uint64_t seeds = 100;
};

void PrintTo(const Target& target, std::ostream* stream) {
  *stream << target.scenario;
}

std::string name_of(const testing::TestParamInfo<Target>& info) {
  std::string name = info.param.scenario;
  std::erase(name, '-');
  return name;
}

constexpr double any_imbalance = 10;

class ScenarioFigures : public testing::TestWithParam<Target> {};

TEST_P(ScenarioFigures, AreReachedByTheDefaultPolicy) {
  const Target& target = GetParam();
  std::vector<SimulationResult> results;
  for (std::uint64_t seed = 1; seed <= target.seeds; ++seed) {
    SCOPED_TRACE("skua simulate --scenario " + target.scenario + " --seed " + std::to_string(seed));
    results.push_back(simulate(make_scenario(target.scenario, seed), {}));
    ASSERT_TRUE(results.back().ended);
    EXPECT_EQ(results.back().fault, "");
    EXPECT_EQ(results.back().report.items_done, results.back().report.items);
  }
  const PolicySummary summary = summarize("factoring", results);
  RecordProperty("median", std::to_string(summary.efficiency));
  RecordProperty("worst", std::to_string(summary.worst_efficiency));
  EXPECT_GE(summary.efficiency, target.median);
  EXPECT_GE(summary.worst_efficiency, target.worst);
  EXPECT_LE(summary.imbalance, target.imbalance);
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioFigures,
                         testing::Values(Target{"equal"}, Target{"one-half"}, Target{"half-half"}, Target{"ramp"},
                                         Target{"noise"}, Target{"thirty"}, Target{"neighbour"}, Target{"hives"},
                                         Target{"frontier"}, Target{"drop", 0.99, 0.98}, Target{"spike", 0.98, 0.98},
                                         Target{"near-stop", 0.90, 0.82, any_imbalance},
                                         Target{"hang", 0.90, 0.82, any_imbalance},
                                         Target{"error", 0.98, 0.98, any_imbalance}, Target{"long-tail", 0.97, 0.85},
                                         Target{"cpx", 0.97, 0.97, 0.02, 100}, Target{"short", 0.90, 0.88}),
                         name_of);

TEST(Thousand, IsSimulatedInAMinute) {
  const auto begin = std::chrono::steady_clock::now();
  const SimulationResult result = simulate(make_scenario("thousand", 1), {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(result.ended);
  EXPECT_EQ(result.fault, "");
  EXPECT_GE(result.efficiency(), 0.97);
  EXPECT_LE(result.report.imbalance(), 0.02);
  EXPECT_LT(took.count(), 60);
}

// B32: six of eight GPUs took 300 ms longer once, and were starved from then on elsewhere.
TEST(SlowFirstChunks, LeaveSharesLevelAfterTwoSeconds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulationOptions options;
    options.traced = true;
    const SimulationResult result = simulate(make_scenario("spike", seed), options);
    std::vector<double> items(8, 0);
    double all = 0;
    // Items that each device did between 2 s and 3 s: of each chunk, the part that lies there.
    constexpr double from_ns = 2e9;
    constexpr double until_ns = 3e9;
    for (const TraceEvent& event : result.trace) {
      const auto begin = static_cast<double>(event.begin_ns);
      const auto end = static_cast<double>(event.end_ns);
      const double part = std::min(end, until_ns) - std::max(begin, from_ns);
      if (event.name != "chunk" || part <= 0) continue;
      ASSERT_STREQ(event.values.front().first, "items");
      const double done = event.values.front().second * part / (end - begin);
      items[event.device] += done;
      all += done;
    }
    for (const double of_device : items) EXPECT_NEAR(of_device / all, 0.125, 0.02) << "seed " << seed;
  }
}

TEST(SameSeed, GivesTheSameTraceByteForByte) {
  for (const char* name : {"drop", "hang", "frontier", "error", "short"}) {
    const auto trace = [&] {
      SimulationOptions options;
      options.traced = true;
      const SimulationResult result = simulate(make_scenario(name, 7), options);
      return trace_json(result.tracks, result.trace);
    };
    const std::string first = trace();
    EXPECT_GT(first.size(), 1000u);
    EXPECT_EQ(first, trace()) << name;
  }
}

TEST(OtherSeed, GivesAnotherRun) {
  const auto makespan = [](std::uint64_t seed) { return simulate(make_scenario("noise", seed), {}).report.makespan_s; };
  EXPECT_NE(makespan(1), makespan(2));
}

TEST(StaticPolicy, LosesWhatTheSlowDeviceLoses) {
  SimulationOptions options;
  options.policy = "static";
  const SimulationResult result = simulate(make_scenario("one-half", 1), options);
  // The slow device has an eighth of the work, at half the rate: 200 ms against 106.7 ms.
  EXPECT_NEAR(result.report.makespan_s, 0.2, 0.004);
}

TEST(Cancelling, EndsARunInTheMiddle) {
  SimulationOptions options;
  options.cancel_at_s = 0.05;
  const SimulationResult result = simulate(make_scenario("equal", 1), options);
  EXPECT_TRUE(result.ended);
  EXPECT_TRUE(result.report.cancelled);
  EXPECT_LT(result.report.items_done, result.report.items);
  std::uint64_t not_done = 0;
  for (const ItemRange& range : result.report.not_done) not_done += range.end - range.begin;
  EXPECT_EQ(result.report.items_done + not_done, result.report.items);
}

TEST(FewHostThreads, CostTimeButEveryGranuleIsRunOnce) {
  Scenario scenario = make_scenario("equal", 1);
  for (SimulatedDevice& device : scenario.machine.devices) device.host_s = 50e-6;
  const double own_threads_s = simulate(scenario, {}).report.makespan_s;
  scenario.machine.host_threads = 1;
  const SimulationResult result = simulate(scenario, {});
  EXPECT_EQ(result.fault, "");
  EXPECT_GT(result.report.makespan_s, own_threads_s);
  EXPECT_LT(result.report.makespan_s, own_threads_s * 1.2);
}

}  // namespace
}  // namespace skua
