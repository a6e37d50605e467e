// The stream of a chunk; and, for sources with HIP or CUDA, how bodies run over the items and granules of a chunk.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

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

/// Blocks of a kernel that one compute unit holds at once; asked once for each GPU.
/// Fails: 0, with the runtime's last error set.
template <class Function>
int blocks_in_compute_unit(Function function, int ordinal) {
  using namespace gpu_api;
  static std::array<std::atomic<int>, 64> known{};
  std::atomic<int>* const slot = ordinal >= 0 && ordinal < 64 ? &known[static_cast<std::size_t>(ordinal)] : nullptr;
  if (slot != nullptr && slot->load(std::memory_order_relaxed) > 0) return slot->load(std::memory_order_relaxed);
  int blocks = 0;
  const int threads = static_cast<int>(Slicing::block_threads);
  if (hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, 0) != hipSuccess) return 0;
  if (slot != nullptr) slot->store(blocks, std::memory_order_relaxed);
  return blocks;
}

template <class Function>
std::optional<GpuFit> fit(Function function, int ordinal, std::uint32_t compute_units, std::uint64_t thread_items) {
  using namespace gpu_api;
  const int blocks = blocks_in_compute_unit(function, ordinal);
  int threads_max = 0;
  if (blocks <= 0) return std::nullopt;
  if (hipDeviceGetAttribute(&threads_max, hipDeviceAttributeMaxThreadsPerMultiProcessor, ordinal) != hipSuccess) {
    return std::nullopt;
  }
  GpuFit result;
  const double threads = static_cast<double>(blocks) * Slicing::block_threads;
  result.resident_items = std::uint64_t{compute_units} * static_cast<std::uint64_t>(threads) * thread_items;
  result.occupancy = threads_max > 0 ? std::min(1.0, threads / threads_max) : 0;
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
