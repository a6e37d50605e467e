// The stream of a chunk; and, for sources with HIP or CUDA, how bodies run over the items and granules of a chunk.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <skua/detail/gpu_code.hpp>
#include <skua/detail/slicing.hpp>
#include <skua/kernel.hpp>
#if defined(SKUA_GPU_HIP) || defined(SKUA_GPU_CUDA) || defined(__CUDACC__) || defined(__HIPCC__)
#include <skua/detail/gpu_after.hpp>
#include <skua/detail/gpu_kernels.hpp>
#include <skua/detail/gpu_limits.hpp>
#include <skua/detail/hip_names.hpp>
#endif

namespace skua {

#if defined(SKUA_GPU_HIP) || defined(SKUA_GPU_CUDA)
namespace gpu_api {
using Stream = hipStream_t;
}
using Stream = gpu_api::Stream;
#else
/// Without a GPU's runtime: a type of its own, of which there is no object.
using Stream = struct NoStream*;
#endif

/// The stream to launch a chunk's kernel on; null when the chunk is on a host device.
inline Stream stream(const Chunk& chunk) {
  return static_cast<Stream>(chunk.stream);
}

}  // namespace skua

#if defined(__CUDACC__) || defined(__HIPCC__)

namespace skua::gpu {

/// The GPUs that the source at hand is compiled for, see GpuCode::built_for. Each source has its own.
#if defined(SKUA_GPU_BUILT_FOR)
constexpr std::string_view built_for = SKUA_GPU_BUILT_FOR;
#elif defined(__CUDA_ARCH_LIST__)
#define SKUA_AS_TEXT(...) #__VA_ARGS__
#define SKUA_VALUES_AS_TEXT(...) SKUA_AS_TEXT(__VA_ARGS__)
constexpr std::string_view built_for = SKUA_VALUES_AS_TEXT(__CUDA_ARCH_LIST__);
#undef SKUA_VALUES_AS_TEXT
#undef SKUA_AS_TEXT
#else
constexpr std::string_view built_for;
#endif

/// A fact of each GPU that is asked for once.
class AskedOnce {
 public:
  /// `ask()` returns a number above 0, or 0 where it failed: it is asked again then.
  template <class Ask>
  int get(int ordinal, Ask ask) {
    std::atomic<int>* const slot = ordinal >= 0 && ordinal < 64 ? &known_[static_cast<std::size_t>(ordinal)] : nullptr;
    const int known = slot != nullptr ? slot->load(std::memory_order_relaxed) : 0;
    if (known > 0) return known;
    const int asked = std::max(ask(), 0);
    if (slot != nullptr) slot->store(asked, std::memory_order_relaxed);
    return asked;
  }

 private:
  std::array<std::atomic<int>, 64> known_{};
};

/// Blocks of a kernel that one compute unit holds at once. The runtime answers for the GPU that is the current one.
/// Fails: 0, with the runtime's last error set.
template <class Function>
int blocks_in_compute_unit(Function function, int ordinal) {
  using namespace gpu_api;
  static AskedOnce known;
  return known.get(ordinal, [&] {
    int current = -1;
    assert(hipGetDevice(&current) != hipSuccess || current == ordinal);
    static_cast<void>(current);
    int blocks = 0;
    const int threads = static_cast<int>(Slicing::block_threads);
    const hipError_t error = hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, 0);
    return error == hipSuccess ? blocks : 0;
  });
}

/// Threads that one compute unit holds at once.
/// Fails: 0, with the runtime's last error set.
inline int threads_in_compute_unit(int ordinal) {
  using namespace gpu_api;
  static AskedOnce known;
  return known.get(ordinal, [&] {
    int threads = 0;
    const hipError_t error = hipDeviceGetAttribute(&threads, hipDeviceAttributeMaxThreadsPerMultiProcessor, ordinal);
    return error == hipSuccess ? threads : 0;
  });
}

template <class Function>
std::optional<GpuFit> fit(Function function, int ordinal, std::uint32_t compute_units, std::uint64_t thread_items) {
  const int blocks = blocks_in_compute_unit(function, ordinal);
  const int threads_max = threads_in_compute_unit(ordinal);
  if (blocks <= 0 || threads_max <= 0) return std::nullopt;
  GpuFit result;
  const double threads = static_cast<double>(blocks) * Slicing::block_threads;
  result.resident_items = std::uint64_t{compute_units} * static_cast<std::uint64_t>(threads) * thread_items;
  result.occupancy = std::min(1.0, threads / threads_max);
  return result;
}

template <class Function>
unsigned grid_of(Function function, const GpuPart& part, std::uint64_t blocks_of_work) {
  const auto resident = static_cast<std::uint64_t>(std::max(1, blocks_in_compute_unit(function, part.ordinal)));
  return static_cast<unsigned>(grid_blocks(blocks_of_work, resident * part.compute_units));
}

template <class Body>
unsigned items_grid(const Chunk& chunk, const GpuPart& part) {
  return grid_of(run_items<Body>, part, (chunk.items() - 1) / Slicing::block_threads + 1);
}

/// Warps take turns over the items of a chunk.
template <class Body>
GpuRounds items_rounds(const Chunk& chunk, const GpuPart& part) {
  return {chunk.items(), chunk.granule, std::uint64_t{items_grid<Body>(chunk, part)} * Slicing::block_threads, 32};
}

template <class Body>
void start_items(const Body& body, const Chunk& chunk, const GpuPart& part) {
  static_assert(LoopNeeds{sizeof(Body)}.fits_gpu(),
                "this body holds too much by value for a GPU: let it hold pointers");
  const unsigned grid = items_grid<Body>(chunk, part);
  const std::uint64_t all = (chunk.items() - 1) / (std::uint64_t{grid} * Slicing::block_threads) + 1;
  run_items<Body><<<grid, Slicing::block_threads, 0, stream(chunk)>>>(body, chunk.begin, chunk.items(), all, part);
}

template <class Value, class Body, class Combine>
unsigned reduction_grid(const Chunk& chunk, const GpuPart& part) {
  const Slicing slicing(chunk.granule);
  const std::uint64_t blocks = (slicing.units(chunk) - 1) / slicing.teams_in_block() + 1;
  return grid_of(reduce_granules<Value, Body, Combine>, part, blocks);
}

/// Teams take turns over the slices of a chunk; those that the last granule lacks are no pieces.
template <class Value, class Body, class Combine>
GpuRounds reduction_rounds(const Chunk& chunk, const GpuPart& part) {
  const Slicing slicing(chunk.granule);
  const std::uint64_t stride =
      std::uint64_t{reduction_grid<Value, Body, Combine>(chunk, part)} * slicing.teams_in_block();
  const Slice last(slicing, slicing.units(chunk) - slicing.slices, chunk.items());
  const std::uint64_t pieces = slicing.units(chunk) - slicing.slices + last.filled;
  return {pieces, slicing.slices, stride, Slicing::team_threads_max / slicing.team_threads};
}

template <class Value, class Body, class Combine>
void start_reduction(const Body& body, const Combine& combine, const Chunk& chunk, const GpuPart& part) {
  static_assert(LoopNeeds{sizeof(Body) + sizeof(Combine), sizeof(Value)}.fits_gpu(),
                "a reduction's values have up to 128 bytes on a GPU, and its body holds up to 3 KiB by value");
  const unsigned grid = reduction_grid<Value, Body, Combine>(chunk, part);
  ReductionChunk<Value> dealt{Slicing(chunk.granule)};
  dealt.begin = chunk.begin;
  dealt.items = chunk.items();
  dealt.units = dealt.slicing.units(chunk);
  dealt.rounds = (dealt.units - 1) / (std::uint64_t{grid} * dealt.slicing.teams_in_block()) + 1;
  dealt.slice_values = static_cast<Value*>(part.scratch);
  dealt.arrivals = part.zeros;
  dealt.partials = static_cast<Value*>(chunk.partials);
  reduce_granules<<<grid, Slicing::block_threads, 0, stream(chunk)>>>(body, combine, dealt, part);
}

}  // namespace skua::gpu

#endif
