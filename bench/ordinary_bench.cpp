// Do loops of ordinary programs on the host's cores cost what a well-kept library asks for them?
// Ideal, and rivals: oneTBB's parallel_for and OpenMP's schedules over the same body, in turn with skua in one run; the
// better of their medians counts. Limit: 1.05 of it, for rows of a sparse matrix whose lengths are skewed.
#include <benchmark/benchmark.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <skua/scheduler.hpp>

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// A sparse matrix by rows, whose lengths follow a power law; the first 2 % of the rows are twenty times longer.
class Rows {
 public:
  explicit Rows(std::size_t rows) : x_(rows), y_(rows) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> part(0, 1);
    first_.push_back(0);
    for (std::size_t row = 0; row < rows; ++row) {
      const double tail = std::min(600.0, 12 / std::sqrt(1 - part(random)));
      const auto length = static_cast<std::size_t>(row < rows / 50 ? 20 * tail : tail);
      for (std::size_t i = 0; i < length; ++i) {
        columns_.push_back(static_cast<std::uint32_t>(random() % rows));
        values_.push_back(part(random));
      }
      first_.push_back(columns_.size());
      x_[row] = part(random);
    }
  }

  std::uint64_t count() const { return y_.size(); }
  void multiply(std::uint64_t row) {
    double sum = 0;
    for (std::size_t i = first_[row]; i < first_[row + 1]; ++i) sum += values_[i] * x_[columns_[i]];
    y_[row] = sum;
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::vector<double> x_;
  std::vector<double> y_;
};

struct Runner {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds{};
};

/// Loops of the same body, each in turn.
void skewed_rows(benchmark::State& state, const std::string& devices) {
  Rows rows(400'000);
  skua::SchedulerOptions over;
  over.devices = devices;
  skua::Scheduler scheduler(over);
  double efficiency = 0;
  std::vector<Runner> runners;
  runners.push_back({"skua", [&] {
                       const skua::Report report =
                           scheduler.parallel_for(rows.count(), [&rows](std::uint64_t row) { rows.multiply(row); });
                       efficiency = report.efficiency();
                     }});
  runners.push_back({"onetbb", [&] {
                       tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, rows.count()), [&](const auto& range) {
                         for (std::uint64_t row = range.begin(); row != range.end(); ++row) rows.multiply(row);
                       });
                     }});
  runners.push_back({"openmp_static", [&] {
                       const std::uint64_t count = rows.count();
#pragma omp parallel for schedule(static) num_threads(2)
                       for (std::uint64_t row = 0; row < count; ++row) rows.multiply(row);
                     }});
  runners.push_back({"openmp_dynamic", [&] {
                       const std::uint64_t count = rows.count();
#pragma omp parallel for schedule(dynamic, 64) num_threads(2)
                       for (std::uint64_t row = 0; row < count; ++row) rows.multiply(row);
                     }});
  std::size_t first = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      Runner& runner = runners[(first + i) % runners.size()];
      // Once before, so that all begin alike: what the others used is not in the caches any more.
      runner.run();
      runner.seconds.push_back(seconds_of(runner.run));
    }
    ++first;
  }
  double best = median(runners[1].seconds);
  for (const Runner& runner : runners) {
    state.counters[runner.name + "_ms"] = median(runner.seconds) * 1e3;
    if (runner.name != "skua") best = std::min(best, median(runner.seconds));
  }
  state.counters["against_best"] = median(runners[0].seconds) / best;
  state.counters["efficiency"] = efficiency;
}

/// OpenMP's threads are not to spin beside what is measured next; the library reads that when it is loaded.
void begin_again_with_quiet_openmp(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", arguments);
}

BENCHMARK_CAPTURE(skewed_rows, two_devices, "host:2")->Iterations(41)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(skewed_rows, one_device, "host:1")->Iterations(41)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

int main(int count, char** arguments) {
  begin_again_with_quiet_openmp(arguments);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
