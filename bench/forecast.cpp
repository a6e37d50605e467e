// Does the simulation forecast what GPUs were measured to take?
//   forecast RUNS.json...      files that scaling_bench, unequal_bench and staging_bench wrote
#include <cmath>
#include <cstdio>
#include <exception>

#include <measured_runs.hpp>

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "forecast: give files that scaling_bench, unequal_bench or staging_bench wrote\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    for (const skua::MeasuredRun& run : skua::read_measured_runs(argv[i])) {
      const double forecast_s = skua::forecast_makespan_s(run);
      std::printf("%-44s 2^%4.1f  measured %9.3f ms  forecast %9.3f ms  %+5.1f %%\n", run.name.c_str(),
                  std::log2(run.scenario.costs.total()), run.makespan_s * 1e3, forecast_s * 1e3,
                  100 * (forecast_s / run.makespan_s - 1));
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "forecast: %s\n", error.what());
  return 2;
}
