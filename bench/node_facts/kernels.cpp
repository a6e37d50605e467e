// What runs on the GPU.
#include "kernels.hpp"

#include <algorithm>

#include <skua/detail/gpu_fences.hpp>

namespace facts {
namespace {

__device__ std::uint64_t ticks() {
#if defined(__CUDA_ARCH__)
  std::uint64_t ns = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns)::"memory");
  return ns;
#elif defined(__HIP_DEVICE_COMPILE__)
  return static_cast<std::uint64_t>(wall_clock64());
#else
  return 0;
#endif
}

#if defined(__HIP_DEVICE_COMPILE__) && \
    (defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__))
#define FACTS_HAS_XCDS 1
#endif
#if defined(__HIP_DEVICE_COMPILE__) && \
    (defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(FACTS_HAS_XCDS))
#define FACTS_IS_GFX9 1
#endif
#if defined(SKUA_GPU_HIP)
constexpr bool is_amd = true;
#else
constexpr bool is_amd = false;
#endif

__device__ Place place() {
  Place place;
#if defined(FACTS_IS_GFX9)
  // s_getreg takes: bits less one << 11 | first bit << 6 | register. HW_ID is 4, XCC_ID 20.
#if defined(__gfx908__) || defined(__gfx90a__)
  place.engine = __builtin_amdgcn_s_getreg((2 << 11) | (13 << 6) | 4);
#else
  place.engine = __builtin_amdgcn_s_getreg((1 << 11) | (13 << 6) | 4);
#endif
  place.unit = __builtin_amdgcn_s_getreg((3 << 11) | (8 << 6) | 4);
#endif
#if defined(FACTS_HAS_XCDS)
  place.xcd = __builtin_amdgcn_s_getreg((3 << 11) | (0 << 6) | 20);
#endif
  return place;
}

__device__ void leave_trace(BlockTrace& trace, std::uint64_t begin_ticks) {
  trace.begin_ticks = begin_ticks;
  trace.end_ticks = ticks();
  trace.place = place();
  __threadfence_system();
  *static_cast<volatile std::uint32_t*>(&trace.is_written) = 1;
}

__global__ void __launch_bounds__(block_threads) work(std::uint64_t iterations, BlockTrace* traces) {
  const std::uint64_t begin = ticks();
  float x = static_cast<float>(threadIdx.x);
#pragma unroll 8
  for (std::uint64_t i = 0; i < iterations; ++i) x = x * 0.999f + 0.5f;
  // Never true, which the compiler does not know.
  if (x < 0) traces[blockIdx.x].is_written = 2;
  __syncthreads();
  if (threadIdx.x == 0) leave_trace(traces[blockIdx.x], begin);
}

__global__ void __launch_bounds__(block_threads) waiting(std::uint64_t how_long, BlockTrace* traces) {
  const std::uint64_t begin = ticks();
  while (ticks() - begin < how_long) {
  }
  __syncthreads();
  if (threadIdx.x == 0) leave_trace(traces[blockIdx.x], begin);
}

__global__ void reading_in_turns(unsigned rounds, std::uint32_t* turn, std::uint64_t* reads) {
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint32_t mine = blockIdx.x + round * gridDim.x;
    while (atomicAdd(turn, 0u) != mine) {
    }
    __threadfence();
    reads[mine] = ticks();
    __threadfence();
    atomicExch(turn, mine + 1);
  }
}

__global__ void reading_steps(unsigned count, std::uint64_t* reads) {
  std::uint64_t last = ticks();
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t now = last;
    while (now == last) now = ticks();
    reads[i] = now;
    last = now;
  }
}

template <Fences fences>
__global__ void __launch_bounds__(block_threads)
    run_items(std::uint64_t items, float* y, std::uint32_t* done, std::uint64_t* mark) {
  if constexpr (fences == Fences::release_and_acquire_a_block) skua::gpu::acquire_from_all();
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < items; i += stride) {
    y[i] = y[i] / 2 + 1;
  }
  if constexpr (fences == Fences::none_and_no_mark) return;
  if constexpr (fences == Fences::every_thread) __threadfence_system();
  skua::gpu::settle_writes();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if constexpr (fences != Fences::every_thread) skua::gpu::release_to_all();
  if (atomicAdd(done, 1u) != gridDim.x - 1) return;
  *done = 0;
  // On AMD skua does without.
  if constexpr (!is_amd || fences != Fences::release_and_acquire_a_block) skua::gpu::release_to_all();
  *static_cast<volatile std::uint64_t*>(mark) = 1;
}

/// A value that a later sum of slices_of_granule of them tells: all alike, and exact in a float.
__device__ float value_of(std::uint32_t unit) {
  return static_cast<float>(unit / slices_of_granule % 1024 + 1);
}

template <Handing handing>
__device__ void put(float* value, float x) {
  if constexpr (handing == Handing::atomic) {
    skua::gpu::leave(value, x);
  } else {
    *value = x;
    __threadfence();
  }
}

template <Handing handing>
__device__ float get(const float* value) {
  if constexpr (handing == Handing::atomic) {
    return skua::gpu::take(value);
  } else {
    return *value;
  }
}

template <Handing handing>
__global__ void __launch_bounds__(block_threads)
    handing_over(unsigned rounds, float* values, std::uint32_t* arrivals, std::uint32_t* wrong) {
  const std::uint32_t teams = gridDim.x * (block_threads / 32);
  const std::uint32_t team = (blockIdx.x * block_threads + threadIdx.x) / 32;
  if (threadIdx.x % 32 != 0) return;
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint32_t unit = round * teams + team;
    const std::uint32_t granule = unit / slices_of_granule;
    put<handing>(&values[unit], value_of(unit));
    if (atomicAdd(&arrivals[granule], 1u) != slices_of_granule - 1) continue;
    if constexpr (handing == Handing::fenced) {
      __threadfence();
    } else {
      skua::gpu::before_taking();
    }
    float sum = 0;
    for (unsigned i = 0; i < slices_of_granule; ++i) {
      sum += get<handing>(&values[granule * slices_of_granule + i]);
    }
    if (sum != value_of(unit) * static_cast<float>(slices_of_granule)) atomicAdd(wrong, 1u);
    arrivals[granule] = 0;
  }
}

__global__ void __launch_bounds__(block_threads) copying(uint4* to, const uint4* from, std::size_t pieces) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < pieces; i += stride) to[i] = from[i];
}

/// Starts a launch; its error is found by the launch itself.
template <class Launch>
void checked(const Launch& launch) {
  static_cast<void>(hipGetLastError());
  launch();
  skua::require("launch", hipGetLastError());
}

}  // namespace

void start_work(hipStream_t stream, unsigned blocks, std::uint64_t iterations, BlockTrace* traces) {
  checked([&] { work<<<blocks, block_threads, 0, stream>>>(iterations, traces); });
}

void start_waiting(hipStream_t stream, unsigned blocks, std::uint64_t ticks, BlockTrace* traces) {
  checked([&] { waiting<<<blocks, block_threads, 0, stream>>>(ticks, traces); });
}

void start_reading_in_turns(hipStream_t stream, unsigned blocks, unsigned rounds, std::uint32_t* turn,
                            std::uint64_t* reads) {
  checked([&] { reading_in_turns<<<blocks, 1, 0, stream>>>(rounds, turn, reads); });
}

void start_reading_steps(hipStream_t stream, unsigned count, std::uint64_t* reads) {
  checked([&] { reading_steps<<<1, 1, 0, stream>>>(count, reads); });
}

void start_items(hipStream_t stream, unsigned blocks, Fences fences, std::uint64_t items, float* y, std::uint32_t* done,
                 std::uint64_t* mark) {
  checked([&] {
    switch (fences) {
      case Fences::none_and_no_mark:
        return run_items<Fences::none_and_no_mark><<<blocks, block_threads, 0, stream>>>(items, y, done, mark);
      case Fences::every_thread:
        return run_items<Fences::every_thread><<<blocks, block_threads, 0, stream>>>(items, y, done, mark);
      case Fences::release_a_block:
        return run_items<Fences::release_a_block><<<blocks, block_threads, 0, stream>>>(items, y, done, mark);
      case Fences::release_and_acquire_a_block:
        return run_items<Fences::release_and_acquire_a_block>
            <<<blocks, block_threads, 0, stream>>>(items, y, done, mark);
    }
  });
}

unsigned resident_blocks_of_items(std::uint32_t compute_units) {
  int blocks = 0;
  skua::require("hipOccupancyMaxActiveBlocksPerMultiprocessor",
                hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, run_items<Fences::every_thread>,
                                                             static_cast<int>(block_threads), 0));
  return static_cast<unsigned>(std::max(blocks, 1)) * compute_units;
}

void start_handing(hipStream_t stream, unsigned blocks, Handing handing, unsigned rounds, float* values,
                   std::uint32_t* arrivals, std::uint32_t* wrong) {
  checked([&] {
    if (handing == Handing::fenced) {
      handing_over<Handing::fenced><<<blocks, block_threads, 0, stream>>>(rounds, values, arrivals, wrong);
    } else {
      handing_over<Handing::atomic><<<blocks, block_threads, 0, stream>>>(rounds, values, arrivals, wrong);
    }
  });
}

void start_copy(hipStream_t stream, unsigned blocks, void* to, const void* from, std::size_t bytes) {
  checked([&] {
    copying<<<blocks, block_threads, 0, stream>>>(static_cast<uint4*>(to), static_cast<const uint4*>(from),
                                                  bytes / sizeof(uint4));
  });
}

}  // namespace facts
