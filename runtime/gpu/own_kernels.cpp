// Compiled by the GPU's compiler.
#include "own_kernels.hpp"

#include <algorithm>

#include <skua/hip.hpp>

namespace skua {
namespace {

constexpr unsigned copy_threads = 256;
// Full compute units have enough loads under way to fill any link.
constexpr unsigned workgroups_in_compute_unit = 8;

struct alignas(16) Words {
  std::uint32_t word[4];
};

__global__ void __launch_bounds__(check_threads)
    write_check(std::uint32_t* words, std::uint32_t* begun, std::uint32_t seed) {
  const std::uint32_t place = blockIdx.x * check_threads + threadIdx.x;
  words[place] = check_word(seed, place);
  if (threadIdx.x == 0) *static_cast<volatile std::uint32_t*>(begun + blockIdx.x) = check_word(seed, blockIdx.x);
}

__global__ void __launch_bounds__(copy_threads)
    copy_words(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  const std::size_t first = std::size_t{blockIdx.x} * copy_threads + threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * copy_threads;
  const std::size_t words = bytes / sizeof(Words);
  auto* const to_words = reinterpret_cast<Words*>(to);
  const auto* const from_words = reinterpret_cast<const Words*>(from);
  for (std::size_t i = first; i < words; i += stride) to_words[i] = from_words[i];
  const std::size_t rest = words * sizeof(Words) + first;
  if (rest < bytes) to[rest] = from[rest];
}

}  // namespace

std::string_view own_kernels_built_for() noexcept {
  return gpu::built_for;
}

hipError_t start_check(std::uint32_t* words, std::uint32_t* begun, std::uint32_t workgroups, std::uint32_t seed,
                       hipStream_t stream) {
  static_cast<void>(hipGetLastError());
  write_check<<<workgroups, check_threads, 0, stream>>>(words, begun, seed);
  return hipGetLastError();
}

hipError_t start_copy(void* to, const void* from, std::size_t bytes, std::uint32_t compute_units, hipStream_t stream) {
  static_cast<void>(hipGetLastError());
  const unsigned workgroups = std::max(compute_units, 1u) * workgroups_in_compute_unit;
  copy_words<<<workgroups, copy_threads, 0, stream>>>(static_cast<unsigned char*>(to),
                                                      static_cast<const unsigned char*>(from), bytes);
  return hipGetLastError();
}

}  // namespace skua
