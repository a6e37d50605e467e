// How the warps and blocks of a kernel speak with the host while it runs: whether to stop, and that all have ended.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)

#include <cstdint>

#include <skua/detail/gpu_code.hpp>
#include <skua/detail/gpu_fences.hpp>
#include <skua/detail/hip_names.hpp>
#include <skua/detail/slicing.hpp>

namespace skua::gpu {

/// The GPU's clock, in GpuDevice's ticks: nanoseconds on NVIDIA; AMD's constant one, the same on all dies of a GPU.
/// Never 0, which stands for a kernel that has not ended, nor 1.
inline __device__ std::uint64_t time_ticks() {
#if defined(__CUDA_ARCH__)
  std::uint64_t ns = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
#elif defined(__HIP_DEVICE_COMPILE__)
  const std::uint64_t ticks = static_cast<std::uint64_t>(wall_clock64());
  return ticks > 1 ? ticks : 2;
#else
  return 1;
#endif
}

/// The last thing that a block does: the block that is last of all marks the kernel's end. One fence stands for the
/// whole block, whose writes the barrier has put before it.
/// Threads: the whole block.
inline __device__ void mark_end(const GpuPart& part) {
  settle_writes();
  __syncthreads();
  if (threadIdx.x != 0) return;
  release_to_all();
  if (count_arrival(part.blocks_done) != gridDim.x - 1) return;
  *part.blocks_done = 0;
#if defined(__HIPCC__)
  // Every block has released what it wrote before it was counted, and the counter is next looked at by the next launch.
  __hip_atomic_store(part.end_mark, time_ticks(), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  release_to_all();
  *static_cast<volatile std::uint64_t*>(part.end_mark) = time_ticks();
#endif
}

/// The rounds of a warp, and when it looks whether its chunk is still wanted: after each round, or seldom where rounds
/// are short, so that it costs nothing. Kernels that end sooner than that never look. Lies in shared memory, one for
/// each 32 threads: registers that are held over the body would leave room for fewer threads.
/// Threads: a whole warp calls it together.
class WarpRounds {
 public:
  static constexpr unsigned threads = 32;  ///< of what GpuRounds calls a warp
  static constexpr unsigned in_block = Slicing::block_threads / threads;

  /// How many rounds to do before next() is asked; 0: the chunk is dropped. What both return is the same for all of the
  /// warp; counting it down is all that a round costs.
  __device__ std::uint32_t begin(const GpuPart& part) {
    std::uint32_t rounds = 1;
    if (is_first_lane()) {
      done_ = 0;
      batch_ = 1;
      begin_ = now();
      if (part.looks_first && looks_dropped(part)) rounds = 0;
    }
    return of_first_lane(rounds);
  }

  /// After as many rounds as were said last: how many to do next; 0: the chunk is dropped.
  __device__ std::uint32_t next(const GpuPart& part) {
    std::uint32_t rounds = 0;
    if (is_first_lane()) {
      done_ += batch_;
      const std::uint32_t since = now() - begin_;
      begin_ += since;
      const bool looks = since > look_every_cycles / 2 || batch_ == batch_max;
      batch_ = fitting(batch_, since);
      rounds = looks && looks_dropped(part) ? 0 : batch_;
    }
    return of_first_lane(rounds);
  }

  /// Leaves the rounds that were done for the host, where they were not all.
  __device__ void leave(std::uint64_t all, const GpuPart& part) const {
    if (!is_first_lane() || done_ == all) return;
    part.rounds_done[(blockIdx.x * blockDim.x + threadIdx.x) / threads] = done_;
  }

 private:
  static constexpr std::uint32_t look_every_cycles = 150'000;  ///< some 80 us; a look costs up to 1 us
  static constexpr std::uint32_t batch_max = 1024;

  /// Rounds that take as long as looks are apart, if they cost what `rounds` rounds cost.
  static __device__ std::uint32_t fitting(std::uint32_t rounds, std::uint32_t cycles) {
    const float fit = static_cast<float>(rounds) * __fdividef(look_every_cycles, static_cast<float>(cycles) + 1);
    return static_cast<std::uint32_t>(fminf(fmaxf(fit, 1.0f), static_cast<float>(batch_max)));
  }
  static __device__ bool looks_dropped(const GpuPart& part) {
    return *static_cast<const volatile std::uint32_t*>(part.dropped) != 0;
  }
  static __device__ std::uint32_t of_first_lane(std::uint32_t value) {
#if defined(__HIPCC__)
    return __shfl(value, 0, threads);
#else
    return __shfl_sync(0xffffffffu, value, 0);
#endif
  }
  static __device__ bool is_first_lane() {
    return threadIdx.x % threads == 0;
  }
  static __device__ std::uint32_t now() {
    return static_cast<std::uint32_t>(clock64());
  }

  std::uint64_t done_;
  std::uint32_t batch_;  ///< rounds between two looks
  std::uint32_t begin_;  ///< of these
};

}  // namespace skua::gpu

#endif
