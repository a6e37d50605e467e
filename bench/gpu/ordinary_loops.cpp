// Loops that nobody tuned.
#include "ordinary_loops.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <monte_carlo/slab.hpp>
#include <skua/skua.hpp>

#include <gpu/partition.hpp>
#include "node.hpp"
#include "plain.hpp"
#include "timing.hpp"

namespace bench {
namespace {

constexpr const char* seven_parts = "gpu:0/40+24+16+16+8+8+8";
constexpr std::uint32_t groups = 120;

skua::SchedulerOptions over(const std::string& devices) {
  skua::SchedulerOptions options;
  options.devices = devices;
  return options;
}

/// 1 % of the items, together, take 99 times as long: half of all.
struct Clustered {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  int steps = 0;
  SKUA_BODY double operator()(std::uint64_t item) const {
    const int count = item >= first && item < last ? 99 * steps : steps;
    double value = static_cast<double>(item & 1023);
    for (int step = 0; step < count; ++step) value = value * 0.999 + 0.001;
    return value;
  }
};

__global__ void run_tiles(std::uint64_t begin, std::uint64_t dear, long long cycles) {
  const long long count = begin + blockIdx.x < dear ? 10 * cycles : cycles;
  const long long since = clock64();
  while (clock64() - since < count) {
  }
}

}  // namespace

void clustered() {
  constexpr std::uint64_t items = std::uint64_t{1} << 31;
  const Clustered body{items / 3, items / 3 + items / 100, 100};
  Plain<double, Clustered> plain(0, groups, first_part(0, groups));
  plain.run(body, items);
  std::vector<double> plain_ms, first_ms, third_ms;
  for (int round = 0; round < 7; ++round) {
    plain_ms.push_back(milliseconds([&] { plain.run(body, items); }));
    skua::Scheduler scheduler(over(seven_parts));
    skua::JobOptions options;
    options.name = "load";
    scheduler.parallel_reduce(items / 1024, 0.0, Clustered{0, 0, 100}, options);
    options.name = "clustered";
    const auto run = [&] { return milliseconds([&] { scheduler.parallel_reduce(items, 0.0, body, options); }); };
    first_ms.push_back(run());
    run();
    third_ms.push_back(run());
  }
  const double all_ms = median(plain_ms);
  std::printf("clustered, seven parts: plain %.3f ms; times that: first Job %.3f, third Job %.3f\n", all_ms,
              median(first_ms) / all_ms, median(third_ms) / all_ms);
}

void tiles() {
  constexpr std::uint64_t count = 10'000;
  constexpr long long cycles = 100'000;
  const auto make = first_part(0, groups);
  const hipStream_t stream = make();
  std::vector<double> plain_ms, first_ms, third_ms;
  for (int round = 0; round < 7; ++round) {
    plain_ms.push_back(milliseconds([&] {
      run_tiles<<<count, 1024, 0, stream>>>(0, count / 4, cycles);
      while (hipStreamQuery(stream) == hipErrorNotReady) {
      }
    }));
    skua::Scheduler scheduler(over(seven_parts));
    const auto run = [&] {
      return milliseconds([&] {
        scheduler.launch(count, [&](const skua::Chunk& chunk) {
          run_tiles<<<static_cast<unsigned>(chunk.items()), 1024, 0, skua::stream(chunk)>>>(chunk.begin, count / 4,
                                                                                            cycles);
        });
      });
    };
    first_ms.push_back(run());
    run();
    third_ms.push_back(run());
  }
  static_cast<void>(hipStreamDestroy(stream));
  const double all_ms = median(plain_ms);
  std::printf("tiles, seven parts: all at once %.3f ms; times that: first Job %.3f, third Job %.3f\n", all_ms,
              median(first_ms) / all_ms, median(third_ms) / all_ms);
}

void mixed() {
  constexpr int rounds = 5;
  const monte_carlo::SlabBody slab(monte_carlo::Slab{}, 1);
  using SixSums = skua::Sums<6>;
  const auto run = [&](skua::Scheduler& scheduler, std::uint64_t paths) {
    return scheduler.parallel_reduce(paths, SixSums{}, slab, skua::Plus{}, skua::JobOptions{}).report;
  };
  double host_paths_per_ms = 0;
  {
    constexpr std::uint64_t paths = 4'000'000;
    skua::Scheduler scheduler(over("host:8"));
    run(scheduler, paths);
    host_paths_per_ms = paths / milliseconds([&] { run(scheduler, paths); });
  }
  for (const std::uint64_t paths : {3'000'000, 10'000'000, 100'000'000, 1'000'000'000}) {
    const int jobs = paths > 100'000'000 ? 4 : 15;
    std::vector<double> alone_ms, together_ms, alone, together;
    // One Scheduler after the other: the threads of one spin for a while, and would disturb the other's.
    const auto measure = [&](const std::string& devices, std::vector<double>& all_ms, std::vector<double>& efficiency) {
      skua::Scheduler scheduler(over(devices));
      run(scheduler, paths);
      for (int job = 0; job < jobs; ++job) {
        skua::Report report;
        all_ms.push_back(milliseconds([&] { report = run(scheduler, paths); }));
        efficiency.push_back(report.efficiency());
      }
    };
    for (int round = 0; round < rounds; ++round) {
      measure("gpu:0/7", alone_ms, alone);
      measure("gpu:0/7;host:8", together_ms, together);
    }
    const double gpu_paths_per_ms = static_cast<double>(paths) / median(alone_ms);
    std::printf(
        "slab, %.0e paths: gpu:0/7 %.3f ms, efficiency %.3f; with host:8 %.4f times that (%.4f if nothing were "
        "lost), efficiency %.3f\n",
        static_cast<double>(paths), median(alone_ms), median(alone), median(together_ms) / median(alone_ms),
        gpu_paths_per_ms / (gpu_paths_per_ms + host_paths_per_ms), median(together));
  }
}

}  // namespace bench
