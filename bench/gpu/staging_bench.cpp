// When does data that lies elsewhere have to move before it is worked on?
// Numbers lie with a peer (over one GPU only: with the host) and are worked on at 1 to 1,000 operations a byte: read
// where they lie, or copied in pieces first. The limit is the longer of copying all and working on all in the own
// memory.
//   staging_bench [RUNS.json]      writes what bench/forecast reads
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <skua/hip.hpp>
#include <skua/skua.hpp>

#include <gpu/copy.hpp>
#include <gpu/peers.hpp>
#include "current_gpu.hpp"
#include "lane.hpp"
#include "node.hpp"
#include "runs.hpp"
#include "timing.hpp"

namespace {

using namespace skua::gpu_api;
using bench::Lane;
using bench::median;
using bench::milliseconds;
using bench::place_of;

constexpr int rounds = 5;

/// `steps` fused multiply-adds a number of 8 bytes.
__global__ void __launch_bounds__(256)
    work_on(const double* numbers, std::uint64_t begin, std::uint64_t end, int steps, double* never) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  double sum = 0;
  for (std::uint64_t i = begin + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += stride) {
    double value = numbers[i];
    for (int step = 0; step < steps; ++step) value = value * 0.999 + 0.001;
    sum += value;
  }
  if (sum == -1) *never = sum;
}

/// Numbers that lie elsewhere, a place to copy them to, and the ways to work on them.
class Staging {
 public:
  Staging(int reader, std::optional<int> owner)
      : there_(skua::make_copy_buffer(owner, bytes)),
        here_(skua::make_copy_buffer(reader, bytes)),
        never_(skua::make_copy_buffer(reader, sizeof(double))),
        computing_(reader),
        copying_(reader),
        blocks_(8 * bench::compute_units_of(reader)) {
    clear(here_);
    clear(there_);
    for (hipEvent_t& event : copied_) {
      const bench::CurrentGpu current(reader);
      skua::require("hipEventCreateWithFlags", hipEventCreateWithFlags(&event, hipEventDisableTiming));
    }
  }
  ~Staging() {
    for (hipEvent_t event : copied_) static_cast<void>(hipEventDestroy(event));
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void copy() {
    copy_piece(0, count);
    copying_.wait();
  }
  void copy_in_pieces() {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      copy_piece(begin_of(piece), begin_of(piece + 1));
      copying_.wait();
    }
  }
  void local(int steps) {
    compute(here_, 0, count, steps);
    computing_.wait();
  }
  void remote(int steps) {
    compute(there_, 0, count, steps);
    computing_.wait();
  }
  /// One piece after the other is copied, then worked on.
  void in_turn(int steps) {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      copy_piece(begin_of(piece), begin_of(piece + 1));
      copying_.wait();
      compute(here_, begin_of(piece), begin_of(piece + 1), steps);
      computing_.wait();
    }
  }
  /// The next pieces are copied meanwhile.
  void overlapped(int steps) {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      copy_piece(begin_of(piece), begin_of(piece + 1));
      copying_.start(
          [&](hipStream_t stream) { skua::require("hipEventRecord", hipEventRecord(copied_[piece], stream)); });
      skua::require("hipStreamWaitEvent", hipStreamWaitEvent(computing_.stream(), copied_[piece], 0));
      compute(here_, begin_of(piece), begin_of(piece + 1), steps);
    }
    computing_.wait();
  }

  static constexpr std::uint64_t pieces = 16;
  static constexpr std::uint64_t count = std::uint64_t{1} << 25;
  static constexpr std::size_t bytes = count * sizeof(double);

 private:
  static std::uint64_t begin_of(std::uint64_t piece) { return count / pieces * piece; }

  void clear(const skua::CopyBuffer& buffer) {
    computing_.start([&](hipStream_t stream) {
      skua::require("hipMemsetAsync", hipMemsetAsync(buffer.memory.get(), 0, bytes, stream));
    });
    computing_.wait();
  }

  void copy_piece(std::uint64_t begin, std::uint64_t end) {
    copying_.start([&](hipStream_t stream) {
      auto* const to = static_cast<double*>(here_.memory.get()) + begin;
      const auto* const from = static_cast<const double*>(there_.memory.get()) + begin;
      const std::size_t size = (end - begin) * sizeof(double);
      skua::require("copy", there_.ordinal ? hipMemcpyPeerAsync(to, *here_.ordinal, from, *there_.ordinal, size, stream)
                                           : hipMemcpyAsync(to, from, size, hipMemcpyDefault, stream));
    });
  }

  void compute(const skua::CopyBuffer& where, std::uint64_t begin, std::uint64_t end, int steps) {
    computing_.start([&](hipStream_t stream) {
      work_on<<<blocks_, 256, 0, stream>>>(static_cast<const double*>(where.memory.get()), begin, end, steps,
                                           static_cast<double*>(never_.memory.get()));
    });
  }

  skua::CopyBuffer there_;
  skua::CopyBuffer here_;
  skua::CopyBuffer never_;
  Lane computing_;
  Lane copying_;
  unsigned blocks_;
  hipEvent_t copied_[pieces]{};
};

double median_ms(const std::function<void()>& work) {
  work();
  std::vector<double> times_ms;
  for (int round = 0; round < rounds; ++round) times_ms.push_back(milliseconds(work));
  return median(times_ms);
}

void staging(std::optional<int> owner, std::vector<bench::MeasuredRun>& runs) {
  Staging numbers(0, owner);
  const double copy_ms = median_ms([&] { numbers.copy(); });
  const double pieces_ms = median_ms([&] { numbers.copy_in_pieces(); });
  const auto gb_per_s = [](double ms) { return static_cast<double>(Staging::bytes) / ms * 1e-6; };
  std::printf("%zu MB in memory of %s, worked on by gpu:0; a copy takes %.3f ms (%.1f GB/s), in %llu pieces %.3f ms\n",
              Staging::bytes >> 20, place_of(owner).c_str(), copy_ms, gb_per_s(copy_ms),
              static_cast<unsigned long long>(Staging::pieces), pieces_ms);
  std::printf("operations a byte      local     limit   times the limit: read there   copied in turn   overlapped\n");
  for (const int operations : {1, 3, 10, 30, 100, 300, 1000}) {
    // A fused multiply-add is two operations, a number has eight bytes.
    const int steps = 4 * operations;
    const double local_ms = median_ms([&] { numbers.local(steps); });
    const double remote_ms = median_ms([&] { numbers.remote(steps); });
    const double in_turn_ms = median_ms([&] { numbers.in_turn(steps); });
    const double overlapped_ms = median_ms([&] { numbers.overlapped(steps); });
    const double limit_ms = std::max(local_ms, copy_ms);
    std::printf("%17d %8.3f ms %6.3f ms %27.3f %16.3f %12.3f\n", operations, local_ms, limit_ms, remote_ms / limit_ms,
                in_turn_ms / limit_ms, overlapped_ms / limit_ms);
    std::fflush(stdout);
    bench::MeasuredRun run;
    run.name = "copied in turn, " + std::to_string(operations) + " operations a byte";
    run.items = Staging::count;
    run.granule_items = Staging::count / Staging::pieces;
    run.policy = "fixed:" + std::to_string(run.granule_items);
    run.devices = {{"gpu:0", static_cast<double>(Staging::count) / local_ms * 1e3, 1, {}}, {"owner", 1, 1, {}}};
    run.transfer = {sizeof(double), gb_per_s(pieces_ms)};
    run.makespan_s = in_turn_ms * 1e-3;
    runs.push_back(run);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::size_t gpus = bench::gpu_count();
  const std::string machine = bench::gpu_name() + ", GPUs: " + std::to_string(gpus);
  std::printf("%s\n", machine.c_str());
  if (gpus > 1) {
    for (const std::string& note : skua::enable_peers({0, 1})) std::printf("%s\n", note.c_str());
  }
  std::vector<bench::MeasuredRun> runs;
  staging(gpus > 1 ? std::optional(1) : std::nullopt, runs);
  if (argc > 1) bench::write_runs(argv[1], machine, runs);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "staging_bench: %s\n", error.what());
  return 1;
}
