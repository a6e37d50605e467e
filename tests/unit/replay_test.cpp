// Recorded runs.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include <skua/input.hpp>
#include <skua/replay.hpp>
#include <skua/scheduler.hpp>
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

TEST(Replay, ReadsWhatIsThereOfATraceThatWasCutOff) {
  const std::string chunk = R"({"ph":"X","name":"chunk","pid":1,"tid":0,"ts":0,"dur":100,"args":{"items":100}})";
  const std::string odd = R"({"ph":"M","name":"a]}\"[{","tid":0})";
  for (const std::string& whole :
       {"[" + odd + ",\n" + chunk + ",\n" + chunk, R"({"traceEvents":[)" + odd + "," + chunk + "," + chunk}) {
    for (const std::size_t cut :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, chunk.size() / 2, chunk.size(), chunk.size() + 1}) {
      const Scenario scenario = read_recorded_run(write(whole.substr(0, whole.size() - cut)));
      EXPECT_EQ(scenario.costs.items(), cut == 0 ? 200u : 100u) << cut;
      ASSERT_EQ(scenario.notes.size(), 1u);
      EXPECT_NE(scenario.notes[0].find("cut off"), std::string::npos);
    }
  }
  EXPECT_TRUE(read_recorded_run(write("[" + chunk + "\n]\n")).notes.empty());
}

TEST(Replay, KeepsTheDevicesOfTwoSchedulersApart) {
  const Scenario scenario = read_recorded_run(write(R"([
    {"ph":"X","name":"chunk","pid":1,"tid":0,"ts":0,"dur":100,"args":{"items":100}},
    {"ph":"X","name":"chunk","pid":2,"tid":0,"ts":0,"dur":100,"args":{"items":100}}])"));
  ASSERT_EQ(scenario.machine.devices.size(), 2u);
  EXPECT_EQ(scenario.machine.devices[1].name, "recorded:1.0");
}

TEST(Replay, ReadsTheTraceOfAProcessThatWasKilledInAJob) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  const pid_t child = fork();
  if (child == 0) {
    Scheduler scheduler(SchedulerOptions{.devices = "host:2", .trace = path});
    JobOptions options;
    options.policy = "fixed:1";
    options.granule_items = 1;
    scheduler.parallel_for(
        1'000'000, [](std::uint64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }, options);
    _exit(1);
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::error_code none_yet;
  while (std::chrono::steady_clock::now() < until) {
    const auto bytes = std::filesystem::file_size(path, none_yet);
    if (!none_yet && bytes > 10'000) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Scenario scenario = read_recorded_run(path);
  EXPECT_EQ(scenario.machine.devices.size(), 2u);
  EXPECT_GT(scenario.costs.items(), 20u);
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
