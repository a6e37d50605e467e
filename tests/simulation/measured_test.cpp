// Whether the simulation forecasts what was measured on GPUs: the runs in tests/fixtures/bench (bench/README.md).
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <measured_runs.hpp>

namespace skua {

void PrintTo(const MeasuredRun& run, std::ostream* stream) {
  *stream << run.name << ", " << run.scenario.costs.items() << " items";
}

namespace {

std::vector<MeasuredRun> all_runs() {
  std::vector<MeasuredRun> all;
  for (const char* file : {"h200_seven_parts", "h200_scaling", "h200_unequal", "h200_staging"}) {
    const std::string path = std::string(SKUA_SOURCE_DIR "/tests/fixtures/bench/") + file + ".json";
    for (MeasuredRun& run : read_measured_runs(path)) all.push_back(std::move(run));
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<MeasuredRun>& info) {
  std::string name = info.param.name + "_" + std::to_string(std::llround(info.param.makespan_s * 1e6)) + "us";
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

class Measured : public testing::TestWithParam<MeasuredRun> {};

/// A kernel's own begin and tail, and the waking of threads, which the simulation does not know, show in loops of some
/// milliseconds.
double error_max(double makespan_s) {
  if (makespan_s >= 5e-3) return 0.05;
  return makespan_s >= 0.9e-3 ? 0.21 : 0.35;
}

TEST_P(Measured, IsForecastWithinFivePercentFromFiveMillisecondsOn) {
  const MeasuredRun& run = GetParam();
  EXPECT_NEAR(forecast_makespan_s(run) / run.makespan_s, 1, error_max(run.makespan_s));
}

INSTANTIATE_TEST_SUITE_P(OnTheH200, Measured, testing::ValuesIn(all_runs()), name_of);

}  // namespace
}  // namespace skua
