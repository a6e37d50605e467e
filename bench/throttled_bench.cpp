// Do a fast and a slow device end together? One of two host devices does all its work twice.
// Ideal: efficiency 1. Limit: 0.97 for a Job of about one second on host:2.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <skua/scheduler.hpp>

namespace {

void work(const skua::Chunk& chunk) {
  double sum = 0;
  for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) sum += std::sqrt(std::sqrt(static_cast<double>(i)));
  benchmark::DoNotOptimize(sum);
}

void one_device_at_half_speed(benchmark::State& state) {
  skua::SchedulerOptions options;
  options.devices = "host:2";
  skua::Scheduler scheduler(options);
  std::vector<double> efficiencies;
  std::vector<double> imbalances;
  const auto run = [&] {
    const skua::Report report = scheduler.launch(300'000'000, [](const skua::Chunk& chunk) {
      for (std::uint32_t times = 0; times <= chunk.device; ++times) work(chunk);
    });
    efficiencies.push_back(report.efficiency());
    imbalances.push_back(report.imbalance());
  };
  for (auto _ : state) run();
  state.counters["first_efficiency"] = efficiencies.front();
  std::sort(efficiencies.begin(), efficiencies.end());
  std::sort(imbalances.begin(), imbalances.end());
  state.counters["efficiency"] = efficiencies[efficiencies.size() / 2];
  state.counters["efficiency_min"] = efficiencies.front();
  state.counters["imbalance"] = imbalances[imbalances.size() / 2];
}
BENCHMARK(one_device_at_half_speed)->Iterations(7)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
