// Recorded runs.
#include <gtest/gtest.h>

#include <skua/input.hpp>
#include <skua/replay.hpp>
#include <skua/simulate.hpp>
#include <support/temporary_folder.hpp>

namespace skua {
namespace {

std::string write(const std::string& content) {
  static const test::TemporaryFolder folder;
  return folder.write("recorded.json", content).string();
}

TEST(Replay, FindsTheRatesOfARecordedRun) {
  SimulationOptions options;
  options.traced = true;
  const SimulationResult recorded = simulate(make_scenario("half-half", 1), options);
  const Scenario scenario = read_recorded_run(write(recorded.trace));
  ASSERT_EQ(scenario.machine.devices.size(), 8u);
  EXPECT_EQ(scenario.costs.items(), recorded.report.items);
  const auto rate = [&](std::size_t device) { return scenario.machine.devices[device].work_per_second; };
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(rate(i), 1e6, 0.02e6);
    EXPECT_NEAR(rate(i + 4), 0.5e6, 0.01e6);
  }
  EXPECT_NEAR(simulate(scenario, {}).report.makespan_s, recorded.report.makespan_s, 0.01 * recorded.report.makespan_s);
}

TEST(Replay, FindsTheCostsOfItems) {
  const Scenario scenario = read_recorded_run(write(R"({"traceEvents":[
    {"ph":"X","name":"chunk","tid":0,"ts":0,"dur":100,"args":{"items":100}},
    {"ph":"X","name":"chunk","tid":0,"ts":100,"dur":300,"args":{"items":100}},
    {"ph":"M","name":"thread_name","tid":0,"args":{"name":"x"}}]})"));
  EXPECT_EQ(scenario.costs.items(), 200u);
  EXPECT_NEAR(scenario.costs.work(0, 100), 50, 0.1);
  EXPECT_NEAR(scenario.costs.work(100, 200), 150, 0.1);
  EXPECT_NEAR(scenario.machine.devices[0].work_per_second, 200 / 400e-6, 1);
}

TEST(Replay, RefusesWhatIsNoRecordedRun) {
  for (const char* text :
       {"", "{}", "[]", R"({"traceEvents":{}})", R"({"traceEvents":[]})", R"({"traceEvents":[1]})",
        R"({"traceEvents":[{"ph":"X","name":"chunk"}]})",
        R"({"traceEvents":[{"ph":"X","name":"chunk","ts":0,"tid":0,"dur":0,"args":{"items":1}}]})"}) {
    EXPECT_THROW(read_recorded_run(write(text)), InputError) << text;
  }
  EXPECT_THROW(read_recorded_run("there/is/no/such.json"), InputError);
}

}  // namespace
}  // namespace skua
