// Runs that benches measured on GPUs (schema skua.bench/1), as scenarios to forecast.
#pragma once

#include <string>
#include <vector>

#include <skua/scenario.hpp>

namespace skua {

struct MeasuredRun {
  std::string name;
  std::string policy;
  Scenario scenario;  ///< made from what was measured of each device alone, not from the run
  double makespan_s = 0;
};

/// Fails: std::runtime_error that names the file.
std::vector<MeasuredRun> read_measured_runs(const std::string& path);

/// The makespan in simulated time, with rates known from a Job before, as in the benches. Units: seconds.
/// Fails: std::runtime_error when the simulated Job does not end well.
double forecast_makespan_s(const MeasuredRun& run);

}  // namespace skua
