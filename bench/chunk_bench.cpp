// What does an empty chunk cost the host, with all of the scheduler in between: launch, completion, feedback, next
// size? Ideal: nothing. Limit: 3 us a chunk on the host backend.
#include <benchmark/benchmark.h>

#include <string>

#include <skua/scheduler.hpp>

namespace {

void empty_chunk(benchmark::State& state) {
  constexpr std::uint64_t items = 1u << 18;
  const auto devices = static_cast<std::uint64_t>(state.range(0));
  skua::SchedulerOptions over;
  over.devices = "host:" + std::to_string(devices);
  skua::Scheduler scheduler(over);
  skua::JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:1";
  std::uint64_t chunks = 0;
  for (auto _ : state) {
    const skua::Report report = scheduler.launch(
        items, [](const skua::Chunk&) {}, options);
    for (const skua::DeviceReport& device : report.devices) chunks += device.chunks;
  }
  // Each device's thread works its own chunks off, at the same time.
  state.counters["per_chunk"] = benchmark::Counter(static_cast<double>(chunks / devices),
                                                   benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(empty_chunk)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
