// What does skua cost on a GPU, and what does it gain over unequal parts of one?
// Limits, in the same run and in turn with skua: all launches queued at once; one plain kernel of the same body over
// the same multiprocessors; and, for comparison, the same parts under a static split.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <monte_carlo/payoff.hpp>
#include <monte_carlo/slab.hpp>
#include <skua/skua.hpp>

#include <gpu/partition.hpp>
#include "node.hpp"
#include "ordinary_loops.hpp"
#include "plain.hpp"
#include "timing.hpp"

namespace {

using namespace skua::gpu_api;
using bench::median;
using bench::milliseconds;

constexpr const char* seven_parts = "gpu:0/40+24+16+16+8+8+8";
constexpr std::uint32_t all_groups = 120;

skua::SchedulerOptions over(const std::string& devices) {
  skua::SchedulerOptions options;
  options.devices = devices;
  return options;
}

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// 1,000 kernels of about 10 us, each filling the GPU: queued all at once, and one by one as chunks.
void gaps() {
  constexpr int kernels = 1000;
  constexpr long long cycles = 17'550;
  const unsigned blocks = 2 * bench::compute_units_of(0);  // of 1,024 threads: all that it holds
  skua::Scheduler scheduler(over("gpu:0"));
  hipStream_t stream = skua::whole_gpu()();
  hipEvent_t done = nullptr;
  skua::require("hipEventCreateWithFlags", hipEventCreateWithFlags(&done, hipEventDisableTiming));
  skua::JobOptions options;
  options.policy = "fixed:1";
  options.granule_items = 1;
  std::vector<double> queued;
  std::vector<double> chunked;
  std::vector<double> empty;
  for (int round = 0; round < 11; ++round) {
    queued.push_back(milliseconds([&] {
      // A block of 1,024 threads with much shared memory is alone on its multiprocessor.
      for (int i = 0; i < kernels; ++i) spin<<<blocks, 1024, 0, stream>>>(cycles);
      skua::require("hipEventRecord", hipEventRecord(done, stream));
      while (hipEventQuery(done) == hipErrorNotReady) {
      }
    }));
    options.name = "gap";
    chunked.push_back(1e3 *
                      scheduler
                          .launch(
                              kernels,
                              [&](const skua::Chunk& chunk) { spin<<<blocks, 1024, 0, skua::stream(chunk)>>>(cycles); },
                              options)
                          .makespan_s);
    options.name = "empty";
    empty.push_back(
        1e3 * scheduler
                  .launch(
                      kernels, [&](const skua::Chunk& chunk) { spin<<<1, 32, 0, skua::stream(chunk)>>>(0); }, options)
                  .makespan_s);
  }
  std::printf("10 us kernels: queued %.2f us each, as chunks %.2f us each, gap %+.2f us (limit +0.4)\n",
              1e3 * median(queued) / kernels, 1e3 * median(chunked) / kernels,
              1e3 * (median(chunked) - median(queued)) / kernels);
  std::printf("empty chunks: %.2f us each (limit on the host's cost 6)\n", 1e3 * median(empty) / kernels);
  static_cast<void>(hipEventDestroy(done));
  static_cast<void>(hipStreamDestroy(stream));
}

struct Rounds {
  std::vector<double> plain_ms;
  std::vector<double> skua_ms;
  std::vector<double> makespan_ms;
  std::vector<double> imbalance;
  std::vector<double> in_a_row_ms;
};

void print(const std::string& what, std::uint64_t items, const Rounds& rounds, double first_ms, double static_ms) {
  const double plain = median(rounds.plain_ms);
  std::printf(
      "%-28s 2^%4.1f  plain %9.3f ms  skua %9.3f ms  ratio %.3f  (Job alone %.3f, Jobs in a row %.3f, first Job %.3f",
      what.c_str(), std::log2(static_cast<double>(items)), plain, median(rounds.skua_ms),
      median(rounds.skua_ms) / plain, median(rounds.makespan_ms) / plain, median(rounds.in_a_row_ms) / plain,
      first_ms / plain);
  if (static_ms > 0) std::printf(", static %.2f", static_ms / plain);
  std::printf(")  imbalance %.2f %%\n", 100 * median(rounds.imbalance));
}

template <class Value, class Body>
void compare(const std::string& what, const std::string& devices, const Body& body, std::uint64_t items, int rounds_max,
             bool dump) {
  skua::Scheduler scheduler(over(devices));
  const bool parts = devices.find('/') != std::string::npos;
  const skua::MakeGpuStream make = parts ? bench::first_part(0, all_groups) : skua::whole_gpu();
  bench::Plain<Value, Body> plain(0, parts ? all_groups : bench::compute_units_of(0), make);
  skua::JobOptions options;
  // Loads the kernel, and nothing is learnt for the name that is measured.
  options.name = "load";
  static_cast<void>(scheduler.parallel_reduce(items, Value{}, body, skua::Plus{}, options));
  options.name = "measured";
  plain.run(body, items);
  Rounds rounds;
  double first_ms = 0;
  std::string last;
  for (int round = 0; round < rounds_max; ++round) {
    rounds.plain_ms.push_back(milliseconds([&] { plain.run(body, items); }));
    skua::Report report;
    const double all_ms =
        milliseconds([&] { report = scheduler.parallel_reduce(items, Value{}, body, skua::Plus{}, options).report; });
    if (round == 0) first_ms = all_ms;
    if (round == 0) continue;
    rounds.skua_ms.push_back(all_ms);
    rounds.makespan_ms.push_back(1e3 * report.makespan_s);
    rounds.imbalance.push_back(report.imbalance());
    last = skua::to_text(report);
  }
  for (int job = 0; job < rounds_max; ++job) {
    rounds.in_a_row_ms.push_back(
        milliseconds([&] { scheduler.parallel_reduce(items, Value{}, body, skua::Plus{}, options); }));
  }
  double static_ms = 0;
  if (parts) {
    options.name = "static";
    options.policy = "static";
    options.placement = skua::Placement::even;
    static_ms = milliseconds([&] { scheduler.parallel_reduce(items, Value{}, body, skua::Plus{}, options); });
  }
  print(what, items, rounds, first_ms, static_ms);
  if (dump) std::printf("%s", last.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const bool dump = argc > 1 && std::strcmp(argv[1], "--reports") == 0;
  // An item is four paths.
  const monte_carlo::OptionBody<double> option(monte_carlo::Option{}, 1);
  const monte_carlo::SlabBody slab(monte_carlo::Slab{}, 1);
  using TwoSums = skua::Sums<2>;
  using SixSums = skua::Sums<6>;
  const auto power = [](int exponent) { return std::uint64_t{1} << exponent; };
  const bool ordinary_only = argc > 1 && std::strcmp(argv[1], "--ordinary") == 0;
  bench::clustered();
  bench::tiles();
  bench::mixed();
  if (ordinary_only) return 0;
  gaps();
  for (const char* devices : {"gpu:0", seven_parts}) {
    const bool parts = devices == seven_parts;
    const std::string where = parts ? ", seven parts" : ", whole GPU";
    compare<TwoSums>("option" + where, devices, option, power(32), 12, dump);
    compare<TwoSums>("option" + where, devices, option, power(29), 31, dump);
    compare<TwoSums>("option" + where, devices, option, power(26), 101, dump);
    compare<TwoSums>("option" + where, devices, option, power(25), 101, dump);
    compare<TwoSums>("option" + where, devices, option, power(22), 301, dump);
    compare<SixSums>("slab" + where, devices, slab, power(26), 21, dump);
    compare<SixSums>("slab" + where, devices, slab, power(25), 21, dump);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "loops_bench: %s\n", error.what());
  return 1;
}
