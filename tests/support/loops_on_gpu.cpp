// Bodies and kernels of the tests.
#include "loops_on_gpu.hpp"

#include <stdexcept>

namespace skua {
namespace {

/// Each item has a counter of its own, so no two threads meet unless an item is run twice.
struct CountRuns {
  unsigned* runs;
  SKUA_BODY void operator()(std::uint64_t item) const { runs[item] += 1; }
};

/// Some microseconds; 0 in the end, which no compiler finds out.
SKUA_BODY unsigned nothing_slowly(std::uint64_t item) {
  float value = static_cast<float>(item % 7);
  for (int step = 0; step < 40'000; ++step) value = value * 0.999f + 0.001f;
  return value > 100.0f ? 1 : 0;
}

struct CountSlowly {
  unsigned* runs;
  SKUA_BODY void operator()(std::uint64_t item) const { runs[item] += 1 + nothing_slowly(item); }
};

struct OneSlowly {
  SKUA_BODY std::uint64_t operator()(std::uint64_t item) const { return 1 + nothing_slowly(item); }
};

__global__ void count_late(unsigned* done) {
  unsigned zero = 0;
  for (int i = 0; i < 300; ++i) zero += nothing_slowly(static_cast<std::uint64_t>(i) + zero);
  *done = 1 + zero;
}

struct Harmonic {
  SKUA_BODY double operator()(std::uint64_t item) const { return 1.0 / (1.0 + static_cast<double>(item)); }
};

struct Index {
  SKUA_BODY std::uint64_t operator()(std::uint64_t item) const { return item; }
};

/// Does not fit: 20 sums of 8 bytes.
struct Large {
  std::uint64_t sums[20]{};
  friend SKUA_BODY Large operator+(const Large& left, const Large& right) {
    Large sum;
    for (int i = 0; i < 20; ++i) sum.sums[i] = left.sums[i] + right.sums[i];
    return sum;
  }
};

struct LargeIndex {
  SKUA_BODY Large operator()(std::uint64_t item) const {
    Large value;
    value.sums[19] = item;
    return value;
  }
};

struct CountWithTable {
  unsigned* runs;
  unsigned table[1000];
  SKUA_BODY void operator()(std::uint64_t item) const { runs[item] += table[item % 1000]; }
};

struct Last {
  SKUA_BODY std::uint64_t operator()(std::uint64_t, std::uint64_t second) const { return second; }
};

__global__ void count_items(std::uint64_t begin, std::uint64_t end, unsigned* runs) {
  const std::uint64_t i = begin + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < end) runs[i] += 1;
}

__global__ void write_after_a_while(unsigned* values, std::uint64_t items, unsigned value) {
  unsigned zero = 0;
  for (int i = 0; i < 20; ++i) zero += nothing_slowly(static_cast<std::uint64_t>(i) + zero);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < items; i += stride) {
    values[i] = value + zero;
  }
}

struct IsValue {
  const unsigned* values;
  unsigned value;
  SKUA_BODY std::uint64_t operator()(std::uint64_t item) const { return values[item] == value ? 1 : 0; }
};

__global__ void take_scratch(unsigned* scratch, unsigned* meetings) {
  if (atomicExch(scratch, 1u) != 0) atomicAdd(meetings, 1u);
  const unsigned zero = nothing_slowly(blockIdx.x);
  atomicExch(scratch, zero);
}

__global__ void write_to_nowhere(unsigned* nowhere) {
  *nowhere = 1;
}

}  // namespace

Report count_runs(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options) {
  return scheduler.parallel_for(items, CountRuns{runs}, options);
}

Report count_slowly(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options) {
  return scheduler.parallel_for(items, CountSlowly{runs}, options);
}

Reduction<std::uint64_t> count_items_slowly(Scheduler& scheduler, std::uint64_t items, const JobOptions& options) {
  return scheduler.parallel_reduce(items, std::uint64_t{0}, OneSlowly{}, options);
}

Report launch_and_throw(Scheduler& scheduler, unsigned* done) {
  return scheduler.launch(1, [done](const Chunk& chunk) {
    count_late<<<1, 1, 0, stream(chunk)>>>(done);
    throw std::runtime_error("after launching");
  });
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

void write_late(unsigned* values, std::uint64_t items, unsigned value, void* stream) {
  using namespace gpu_api;
  write_after_a_while<<<64, 256, 0, static_cast<hipStream_t>(stream)>>>(values, items, value);
}

std::uint64_t count_values(Scheduler& scheduler, std::uint64_t items, const unsigned* values, unsigned value,
                           const JobOptions& options) {
  return scheduler.parallel_reduce(items, std::uint64_t{0}, IsValue{values, value}, Plus{}, options).value;
}

Report launch_with_scratch(Scheduler& scheduler, std::uint64_t items, Scratch kind, unsigned* scratch,
                           unsigned* meetings, const JobOptions& options) {
  const auto launcher = [=](const Chunk& chunk) {
    const std::uint32_t slot = kind == Scratch::one_a_slot ? chunk.slot : 0;
    take_scratch<<<1, 1, 0, stream(chunk)>>>(scratch + 2 * chunk.device + slot, meetings);
  };
  if (kind == Scratch::one_a_device) return scheduler.launch(items, one_at_a_time(launcher), options);
  return scheduler.launch(items, launcher, options);
}

std::uint64_t sum_in_large_values(Scheduler& scheduler, std::uint64_t items, const JobOptions& options) {
  return scheduler.parallel_reduce(items, Large{}, LargeIndex{}, Plus{}, options).value.sums[19];
}

Report count_runs_by_large_body(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options) {
  CountWithTable body{runs, {}};
  for (unsigned& one : body.table) one = 1;
  return scheduler.parallel_for(items, body, options);
}

Reduction<std::uint64_t> last_item(Scheduler& scheduler, std::uint64_t items, const JobOptions& options) {
  return scheduler.parallel_reduce(items, std::uint64_t{0}, Index{}, ordered(Last{}), options);
}

Report launch_fault(Scheduler& scheduler) {
  return scheduler.launch(
      1000, [](const Chunk& chunk) { write_to_nowhere<<<1, 1, 0, stream(chunk)>>>(reinterpret_cast<unsigned*>(16)); });
}

}  // namespace skua
