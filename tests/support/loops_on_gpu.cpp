// Bodies and kernels of the tests.
#include "loops_on_gpu.hpp"

namespace skua {
namespace {

/// Each item has a counter of its own, so no two threads meet unless an item is run twice.
struct CountRuns {
  unsigned* runs;
  SKUA_BODY void operator()(std::uint64_t item) const { runs[item] += 1; }
};

struct Harmonic {
  SKUA_BODY double operator()(std::uint64_t item) const { return 1.0 / (1.0 + static_cast<double>(item)); }
};

struct Index {
  SKUA_BODY std::uint64_t operator()(std::uint64_t item) const { return item; }
};

__global__ void count_items(std::uint64_t begin, std::uint64_t end, unsigned* runs) {
  const std::uint64_t i = begin + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < end) runs[i] += 1;
}

__global__ void write_to_nowhere(unsigned* nowhere) {
  *nowhere = 1;
}

}  // namespace

Report count_runs(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options) {
  return scheduler.parallel_for(items, CountRuns{runs}, options);
}

Reduction<double> sum_harmonic(Scheduler& scheduler, std::uint64_t items, double init, const JobOptions& options) {
  return scheduler.parallel_reduce(items, init, Harmonic{}, Plus{}, options);
}

Reduction<std::uint64_t> sum_items(Scheduler& scheduler, std::uint64_t items, const JobOptions& options) {
  return scheduler.parallel_reduce(items, std::uint64_t{0}, Index{}, Plus{}, options);
}

Report launch_count(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options) {
  return scheduler.launch(
      items,
      [runs](const Chunk& chunk) {
        const auto blocks = static_cast<unsigned>((chunk.items() + 127) / 128);
        count_items<<<blocks, 128, 0, stream(chunk)>>>(chunk.begin, chunk.end, runs);
      },
      options);
}

Report launch_fault(Scheduler& scheduler) {
  return scheduler.launch(
      1000, [](const Chunk& chunk) { write_to_nowhere<<<1, 1, 0, stream(chunk)>>>(reinterpret_cast<unsigned*>(16)); });
}

}  // namespace skua
