// What does it cost to take one granule from a Share, alone and as a thief?
// Ideal: one uncontended compare-exchange. Limits: 15 ns alone, 250 ns a steal with two threads. Rivals, in the same
// run: oneTBB's parallel_for with grain 1 and OpenMP's schedule(dynamic, 1), per item of an empty loop.
#include <benchmark/benchmark.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <thread>

#include <job/share.hpp>
#include <skua/discovery.hpp>
#include <system/thread.hpp>

namespace {

constexpr std::uint32_t granules = 1u << 20;

void take_alone(benchmark::State& state) {
  skua::Share::Word word{0};
  skua::Share share(word);
  for (auto _ : state) {
    skua::Interval taken = share.take_front(1);
    if (taken.empty()) share.put({0, granules});
    benchmark::DoNotOptimize(taken);
  }
}
BENCHMARK(take_alone);

void steal_alone(benchmark::State& state) {
  skua::Share::Word word{0};
  skua::Share share(word);
  for (auto _ : state) {
    const skua::Interval seen = share.look();
    if (seen.empty()) share.put({0, granules});
    skua::Steal steal = share.steal_back(seen, 1);
    benchmark::DoNotOptimize(steal);
  }
}
BENCHMARK(steal_alone);

// One iteration is one successful steal, while the owner takes from the same Share on another thread.
void steal_from_a_busy_owner(benchmark::State& state) {
  skua::Share::Word word{0};
  skua::Share share(word);
  std::atomic<bool> stop{false};
  const skua::CpuSet allowed = skua::discover_host_cpus().allowed.value_or(skua::CpuSet{});
  std::thread owner([&] {
    if (allowed.size() > 1) skua::bind_this_thread(skua::CpuSet({allowed.cpus()[1]}));
    while (!stop.load(std::memory_order_relaxed)) {
      if (share.take_front(1).empty()) share.put({0, granules});
    }
  });
  if (allowed.size() > 1) skua::bind_this_thread(skua::CpuSet({allowed.cpus()[0]}));
  std::int64_t lost = 0;
  for (auto _ : state) {
    for (;;) {
      const skua::StealOutcome outcome = share.steal_back(share.look(), 1).outcome;
      if (outcome == skua::StealOutcome::taken) break;
      lost += outcome == skua::StealOutcome::lost ? 1 : 0;
    }
  }
  stop = true;
  owner.join();
  skua::bind_this_thread(allowed);
  state.counters["lost_per_steal"] = static_cast<double>(lost) / static_cast<double>(state.iterations());
}
BENCHMARK(steal_from_a_busy_owner)->UseRealTime();

void onetbb_grain_1(benchmark::State& state) {
  for (auto _ : state) {
    tbb::parallel_for(
        tbb::blocked_range<std::uint32_t>(0, granules, 1),
        [](const auto& range) {
          for (auto i = range.begin(); i != range.end(); ++i) benchmark::DoNotOptimize(i);
        },
        tbb::simple_partitioner{});
  }
  state.counters["per_item"] =
      benchmark::Counter(static_cast<double>(granules) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(onetbb_grain_1)->UseRealTime();

void openmp_dynamic_1(benchmark::State& state) {
  for (auto _ : state) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (std::uint32_t i = 0; i < granules; ++i) benchmark::DoNotOptimize(i);
  }
  state.counters["per_item"] =
      benchmark::Counter(static_cast<double>(granules) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(openmp_dynamic_1)->UseRealTime();

}  // namespace
