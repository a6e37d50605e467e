// What does a Scheduler cost that has nothing to do?
// Ideal: nothing. Limits: 0.2 s of CPU in 10 s, 64 MB resident.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <skua/scheduler.hpp>

namespace {

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::optional<double> resident_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib * 1024 / 1e6;
  }
  return std::nullopt;
}

void idle_for_10_s(benchmark::State& state) {
  skua::SchedulerOptions over;
  over.devices = "host:8";
  skua::Scheduler scheduler(over);
  scheduler.parallel_for(1'000'000, [](std::uint64_t i) { benchmark::DoNotOptimize(i); });
  for (auto _ : state) {
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(10));
    state.counters["cpu_s"] = cpu_seconds() - before;
    if (const auto resident = resident_mb()) state.counters["resident_mb"] = *resident;
  }
}
BENCHMARK(idle_for_10_s)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);

}  // namespace
