// Do a fast and a slow device end together? One of two host devices takes twice as long for each chunk.
// Ideal: efficiency 1. Limit: 0.97 for a Job of about one second on host:2.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <skua/scheduler.hpp>

#include "support/devices.hpp"

namespace {

void one_device_at_half_speed(benchmark::State& state) {
  skua::Devices devices = skua::test::host_devices(2);
  devices[1] = std::make_unique<skua::test::SlowDevice>(std::move(devices[1]), 2.0);
  skua::Scheduler scheduler(std::move(devices));
  std::vector<double> efficiencies;
  std::vector<double> imbalances;
  const auto run = [&] {
    const auto sum = scheduler.parallel_reduce(
        300'000'000, 0.0, [](std::uint64_t i) { return std::sqrt(std::sqrt(static_cast<double>(i))); });
    efficiencies.push_back(sum.report.efficiency());
    imbalances.push_back(sum.report.imbalance());
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
