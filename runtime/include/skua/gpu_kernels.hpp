// The kernels that run bodies over items and granules, and mark their own end.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)

#include <cstddef>
#include <cstdint>

#include <skua/gpu_api.hpp>
#include <skua/slicing.hpp>

namespace skua::gpu {

/// The GPU's clock in nanoseconds. Fails: 1 where its unit is not known.
inline __device__ std::uint64_t time_ns() {
#if defined(__CUDA_ARCH__)
  std::uint64_t ns = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
#else
  return 1;
#endif
}

/// The last thing that a block does: the block that is last of all marks the kernel's end. Each thread makes what it
/// wrote visible to the host first.
/// Threads: the whole block.
inline __device__ void mark_end(std::uint32_t* blocks_done, std::uint64_t* end_mark) {
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(blocks_done, 1u) != gridDim.x - 1) return;
  *blocks_done = 0;
  __threadfence_system();
  *static_cast<volatile std::uint64_t*>(end_mark) = time_ns();
}

template <class Body>
__global__ void __launch_bounds__(Slicing::block_threads)
    run_items(Body body, std::uint64_t begin, std::uint64_t end, std::uint32_t* blocks_done, std::uint64_t* end_mark) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = begin + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += stride) body(i);
  mark_end(blocks_done, end_mark);
}

/// Makes what the threads of a team wrote visible to one another.
inline __device__ void meet() {
#if defined(__HIPCC__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
  __syncwarp();
#endif
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

/// The results of a chunk's granules. arrivals: a counter for each granule, zero before and after.
template <class Value, class Body, class Combine>
__global__ void __launch_bounds__(Slicing::block_threads)
    reduce_granules(Body body, Combine combine, Slicing slicing, std::uint64_t begin, std::uint64_t chunk_items,
                    std::uint64_t units, Value* slice_values, std::uint32_t* arrivals, Value* partials,
                    std::uint32_t* blocks_done, std::uint64_t* end_mark) {
  alignas(Value) __shared__ unsigned char memory[Slicing::block_threads * sizeof(Value)];
  __shared__ bool last_of_team[Slicing::block_threads];
  const unsigned team = threadIdx.x / slicing.team_threads;
  const unsigned lane = threadIdx.x % slicing.team_threads;
  const unsigned teams = Slicing::block_threads / slicing.team_threads;
  Value* const values = reinterpret_cast<Value*>(memory) + team * slicing.team_threads;
  for (std::uint64_t first_unit = std::uint64_t{blockIdx.x} * teams; first_unit < units;
       first_unit += std::uint64_t{gridDim.x} * teams) {
    const std::uint64_t unit = first_unit + team;
    const Slice slice(slicing, unit, chunk_items);
    const unsigned members =
        slice.items < slicing.team_threads ? static_cast<unsigned>(slice.items) : slicing.team_threads;
    if (lane < members) {
      const std::uint64_t first = begin + slice.first;
      Value value = static_cast<Value>(body(first + lane));
      for (std::uint64_t i = lane + std::uint64_t{slicing.team_threads}; i < slice.items; i += slicing.team_threads) {
        value = combine(value, static_cast<Value>(body(first + i)));
      }
      values[lane] = value;
    }
    combine_team(values, lane, members, slicing.team_threads, combine);
    if (slicing.slices == 1) {
      if (lane == 0 && members > 0) partials[slice.granule] = values[0];
    } else {
      // Here a team is a whole warp. Whoever is last combines what all have left.
      if (lane == 0) {
        last_of_team[team] = false;
        if (members > 0) {
          slice_values[unit] = values[0];
          __threadfence();
          last_of_team[team] = atomicAdd(&arrivals[slice.granule], 1u) == slice.filled - 1;
        }
      }
      meet();
      if (last_of_team[team]) {
        __threadfence();
        const Value* const slices = slice_values + slice.granule * slicing.slices;
        const unsigned there = slice.filled < slicing.team_threads ? slice.filled : slicing.team_threads;
        if (lane < there) {
          Value value = slices[lane];
          for (unsigned i = lane + slicing.team_threads; i < slice.filled; i += slicing.team_threads) {
            value = combine(value, slices[i]);
          }
          values[lane] = value;
        }
        combine_team(values, lane, there, slicing.team_threads, combine);
        if (lane == 0) {
          partials[slice.granule] = values[0];
          arrivals[slice.granule] = 0;
        }
      }
    }
    meet();
  }
  mark_end(blocks_done, end_mark);
}

}  // namespace skua::gpu

#endif
