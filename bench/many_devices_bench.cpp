// What does a Job of one empty item a device cost, on many devices?
// Ideal: nothing grows with the devices that are not needed. Limit: 20 ms on 1,024 devices. They share the host's
// cores, so that nothing is gained by them: it is the scheduler's own cost that is measured.
#include <benchmark/benchmark.h>

#include <string>

#include <skua/scheduler.hpp>

namespace {

void one_empty_item_a_device(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  skua::SchedulerOptions options;
  options.devices = "host:" + std::to_string(count);
  skua::Scheduler scheduler(options);
  for (auto _ : state) scheduler.parallel_for(count, [](std::uint64_t) {});
}
BENCHMARK(one_empty_item_a_device)
    ->Arg(1)
    ->Arg(2)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Arg(4096)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

void one_empty_item_on_many_devices(benchmark::State& state) {
  skua::SchedulerOptions options;
  options.devices = "host:" + std::to_string(state.range(0));
  skua::Scheduler scheduler(options);
  for (auto _ : state) scheduler.parallel_for(1, [](std::uint64_t) {});
}
BENCHMARK(one_empty_item_on_many_devices)->Arg(1)->Arg(1024)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
