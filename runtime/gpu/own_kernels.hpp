// The kernels of skua's own library: one that shows which workgroups a GPU runs, and one that copies by loads and
// stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <skua/kernel.hpp>

#include "call.hpp"

namespace skua {

/// What these kernels were compiled for, see GpuCode::built_for.
std::string_view own_kernels_built_for() noexcept;

/// How many threads each workgroup of the check has.
inline constexpr std::uint32_t check_threads = 64;

/// What the check writes at a place.
SKUA_BODY constexpr std::uint32_t check_word(std::uint32_t seed, std::uint32_t place) {
  return seed ^ place;
}

/// Starts workgroups that do not wait for one another. Thread `t` of workgroup `b` writes check_word(seed, i) to
/// words[i], i = b * check_threads + t, in the current GPU's memory; its first thread then check_word(seed, b) to
/// begun[b], in memory of the host's. Returns what the launch said; see may_have_code() and is_without_code().
hipError_t start_check(std::uint32_t* words, std::uint32_t* begun, std::uint32_t workgroups, std::uint32_t seed,
                       hipStream_t stream);

/// Starts a copy by the current GPU, which reaches both memories: what its bodies do when they read or write. Both
/// addresses are multiples of 16, as the runtime's are; `compute_units` are what it is to fill.
/// Returns what the launch said; see may_have_code() and is_without_code().
hipError_t start_copy(void* to, const void* from, std::size_t bytes, std::uint32_t compute_units, hipStream_t stream);

}  // namespace skua
