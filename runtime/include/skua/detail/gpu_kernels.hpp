// The kernels that run bodies over items and granules.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)

#include <cstddef>
#include <cstdint>

#include <skua/detail/gpu_code.hpp>
#include <skua/detail/gpu_fences.hpp>
#include <skua/detail/gpu_marks.hpp>
#include <skua/detail/hip_names.hpp>
#include <skua/detail/slicing.hpp>

namespace skua::gpu {

/// Runs `items` items, fewer than 2^64 - 2^32, from `begin` on, in `all` rounds of one a thread.
/// The loop goes by what its block has in common: its counter lies in registers of the whole warp, and the body has the
/// others.
template <class Body>
__global__ void __launch_bounds__(Slicing::block_threads)
    run_items(Body body, std::uint64_t begin, std::uint64_t items, std::uint64_t all, GpuPart part) {
  __shared__ WarpRounds rounds_of_warps[WarpRounds::in_block];
  acquire_from_all();
  WarpRounds& rounds = rounds_of_warps[threadIdx.x / WarpRounds::threads];
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint32_t left = rounds.begin(part);
#pragma unroll 1
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x; left > 0 && first < items; first += stride) {
    if (first + threadIdx.x < items) body(begin + first + threadIdx.x);
    if (--left == 0) left = rounds.next(part);
  }
  if (left == 0) rounds.leave(all, part);
  mark_end(part);
}

/// Combines values[0 .. members) into values[0], always in the same order; `values` is the team's, `lane` the thread's
/// place in it.
/// Threads: a whole warp calls it together.
template <class Value, class Combine>
__device__ void combine_team(Value* values, unsigned lane, unsigned members, unsigned team_threads,
                             const Combine& combine) {
  for (unsigned width = team_threads / 2; width > 0; width /= 2) {
    meet();
    if (lane < width && lane + width < members) values[lane] = combine(values[lane], values[lane + width]);
  }
}

/// A chunk of a reduction, and where its results go. arrivals: a counter for each granule, zero before and after.
template <class Value>
struct ReductionChunk {
  Slicing slicing;
  std::uint64_t begin = 0;
  std::uint64_t items = 0;
  std::uint64_t units = 0;
  std::uint64_t rounds = 0;
  Value* slice_values = nullptr;
  std::uint32_t* arrivals = nullptr;
  Value* partials = nullptr;
};

/// What a team of threads shares.
template <class Value>
struct Team {
  unsigned lane = 0;
  Value* values = nullptr;
  bool* is_last = nullptr;
};

/// The value of one slice, in values[0], where there is one. Returns how many threads of the team took part.
template <class Value, class Body, class Combine>
__device__ unsigned reduce_slice(const Body& body, const Combine& combine, const ReductionChunk<Value>& chunk,
                                 const Slice& slice, const Team<Value>& team) {
  const unsigned threads = chunk.slicing.team_threads;
  const unsigned members = slice.items < threads ? static_cast<unsigned>(slice.items) : threads;
  if (team.lane < members) {
    const std::uint64_t first = chunk.begin + slice.first;
    Value value = static_cast<Value>(body(first + team.lane));
    for (std::uint64_t i = team.lane + std::uint64_t{threads}; i < slice.items; i += threads) {
      value = combine(value, static_cast<Value>(body(first + i)));
    }
    team.values[team.lane] = value;
  }
  combine_team(team.values, team.lane, members, threads, combine);
  return members;
}

/// Adds a slice's value to its granule's. Whoever is last combines what all have left. A team is a whole warp here.
template <class Value, class Combine>
__device__ void arrive(const Combine& combine, const ReductionChunk<Value>& chunk, const Slice& slice,
                       std::uint64_t unit, unsigned members, const Team<Value>& team) {
  const unsigned threads = chunk.slicing.team_threads;
  if (team.lane == 0) {
    *team.is_last = false;
    if (members > 0) {
      leave(&chunk.slice_values[unit], team.values[0]);
      *team.is_last = count_arrival(&chunk.arrivals[slice.granule]) == slice.filled - 1;
    }
  }
  meet();
  if (!*team.is_last) return;
  before_taking();
  const Value* const slices = chunk.slice_values + slice.granule * chunk.slicing.slices;
  const unsigned there = slice.filled < threads ? slice.filled : threads;
  if (team.lane < there) {
    Value value = take(&slices[team.lane]);
    for (unsigned i = team.lane + threads; i < slice.filled; i += threads) value = combine(value, take(&slices[i]));
    team.values[team.lane] = value;
  }
  combine_team(team.values, team.lane, there, threads, combine);
  if (team.lane == 0) {
    chunk.partials[slice.granule] = team.values[0];
    chunk.arrivals[slice.granule] = 0;
  }
}

/// The results of a chunk's granules.
template <class Value, class Body, class Combine>
__global__ void __launch_bounds__(Slicing::block_threads)
    reduce_granules(Body body, Combine combine, ReductionChunk<Value> chunk, GpuPart part) {
  alignas(Value) __shared__ unsigned char memory[Slicing::block_threads * sizeof(Value)];
  __shared__ bool last_of_team[Slicing::block_threads];
  __shared__ WarpRounds rounds_of_warps[WarpRounds::in_block];
  const unsigned threads = chunk.slicing.team_threads;
  const unsigned teams = Slicing::block_threads / threads;
  const unsigned place = threadIdx.x / threads;
  const Team<Value> team{threadIdx.x % threads, reinterpret_cast<Value*>(memory) + place * threads,
                         &last_of_team[place]};
  acquire_from_all();
  WarpRounds& rounds = rounds_of_warps[threadIdx.x / WarpRounds::threads];
  std::uint32_t left = rounds.begin(part);
  for (std::uint64_t first_unit = std::uint64_t{blockIdx.x} * teams; left > 0 && first_unit < chunk.units;
       first_unit += std::uint64_t{gridDim.x} * teams) {
    const std::uint64_t unit = first_unit + place;
    const Slice slice(chunk.slicing, unit, chunk.items);
    // All teams of a warp meet in what follows, also those that have nothing left.
    const unsigned members = reduce_slice(body, combine, chunk, slice, team);
    if (chunk.slicing.slices > 1) {
      arrive(combine, chunk, slice, unit, members, team);
    } else if (team.lane == 0 && members > 0) {
      chunk.partials[slice.granule] = team.values[0];
    }
    meet();
    if (--left == 0) left = rounds.next(part);
  }
  if (left == 0) rounds.leave(chunk.rounds, part);
  mark_end(part);
}

}  // namespace skua::gpu

#endif
