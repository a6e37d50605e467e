// Who sees what a kernel wrote, and when.
//
// On AMD a fence for the host, or for all of a GPU that has several caches of the second level, writes a whole such
// cache back or throws it away, while other blocks work from it; so there are as few of them as can be: one acquire at
// the start of a block, one release by one thread at its end, and none between.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <skua/detail/hip_names.hpp>

namespace skua::gpu {

/// Makes what the threads of a warp wrote visible to one another.
inline __device__ void meet() {
#if defined(__HIPCC__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
  __syncwarp();
#endif
}

/// At a kernel's start: nothing that the host or another GPU wrote before the launch is read from an older copy. HIP
/// orders its launches for the one GPU only, and adds the rest in calls that skua does without.
/// Threads: the whole block.
inline __device__ void acquire_from_all() {
#if defined(__HIPCC__)
  if (threadIdx.x < 32) {
    // What LLVM documents for an acquire of the whole system; its fence, in releases up to 15, writes back as well.
#if defined(__gfx90a__)
    asm volatile("buffer_invl2\n\tbuffer_wbinvl1_vol" ::: "memory");
#elif defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
    asm volatile("buffer_inv sc0 sc1" ::: "memory");
#else
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
#endif
  }
  __syncthreads();
#endif
}

/// Waits until what this thread wrote has come to where a release finds it.
inline __device__ void settle_writes() {
#if defined(__GFX12__)
  asm volatile("s_wait_storecnt 0x0" ::: "memory");
#elif defined(__GFX10__) || defined(__GFX11__)
  asm volatile("s_waitcnt_vscnt null, 0x0" ::: "memory");
#elif defined(__AMDGCN__)
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
#endif
}

/// What the block wrote is seen by the host, the GPU's other blocks and other GPUs, before what the calling thread
/// writes next.
/// Threads: one of the block, after a barrier before which all have settled their writes.
inline __device__ void release_to_all() {
#if defined(__HIPCC__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
#else
  __threadfence_system();
#endif
}

/// One more has come. Returns how many had come before.
inline __device__ std::uint32_t count_arrival(std::uint32_t* arrivals) {
  return atomicAdd(arrivals, 1u);
}

#if defined(__HIPCC__)
/// The largest words of which a type is made up.
template <std::size_t Alignment>
using WordOf =
    std::conditional_t<Alignment % 8 == 0, std::uint64_t,
                       std::conditional_t<Alignment % 4 == 0, std::uint32_t,
                                          std::conditional_t<Alignment % 2 == 0, std::uint16_t, std::uint8_t>>>;
#endif

/// Leaves a value for whoever counts the next arrival; see count_arrival() and take(). Word for word, past the caches
/// that blocks do not share: a fence would write all of them back.
template <class Value>
__device__ void leave(Value* place, const Value& value) {
#if defined(__HIPCC__)
  using Word = WordOf<alignof(Value)>;
  for (std::size_t i = 0; i < sizeof(Value) / sizeof(Word); ++i) {
    Word word;
    __builtin_memcpy(&word, reinterpret_cast<const unsigned char*>(&value) + i * sizeof(Word), sizeof(Word));
    __hip_atomic_store(reinterpret_cast<Word*>(place) + i, word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  settle_writes();
#else
  *place = value;
  __threadfence();
#endif
}

/// Before values are taken that others left, by the threads of a warp of which one has counted the last arrival.
inline __device__ void before_taking() {
#if !defined(__HIPCC__)
  __threadfence();
#endif
}

/// What was left there.
template <class Value>
__device__ Value take(const Value* place) {
#if defined(__HIPCC__)
  using Word = WordOf<alignof(Value)>;
  Value value;
  for (std::size_t i = 0; i < sizeof(Value) / sizeof(Word); ++i) {
    const Word word =
        __hip_atomic_load(reinterpret_cast<const Word*>(place) + i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __builtin_memcpy(reinterpret_cast<unsigned char*>(&value) + i * sizeof(Word), &word, sizeof(Word));
  }
  return value;
#else
  return *place;
#endif
}

}  // namespace skua::gpu

#endif
