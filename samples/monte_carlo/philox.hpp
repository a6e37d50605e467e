// Random numbers that depend on (seed, path, draw) and on nothing else: Random123's Philox4x32-10.
#pragma once

#include <cstdint>
#if defined(__HIPCC__) && defined(__x86_64__)
// hipcc wants the processor's intrinsics before Random123, and Random123's functions marked for host and device.
#include <x86intrin.h>
#endif
#if defined(__HIPCC__) && defined(__clang__)
#pragma clang force_cuda_host_device begin
#endif
#include <Random123/philox.h>
#if defined(__HIPCC__) && defined(__clang__)
#pragma clang force_cuda_host_device end
#endif

#include <skua/kernel.hpp>

namespace monte_carlo {

/// Four uniform numbers in (0, 1), 32 random bits each.
struct Uniforms {
  double first;
  double second;
  double third;
  double fourth;
};

/// Two uniform numbers in (0, 1), 52 random bits each.
struct FineUniforms {
  double first;
  double second;
};

/// All numbers of one path. A draw gives 128 bits; draws may be asked for in any order.
/// Paths of different streams (the options of a portfolio, say) are independent of each other.
class Philox {
 public:
  using Words = r123::Philox4x32::ctr_type;

  SKUA_BODY Philox(std::uint64_t seed, std::uint64_t path, std::uint32_t stream = 0)
      : seed_(seed), path_(path), stream_(stream) {}

  SKUA_BODY Words words(std::uint32_t draw) const {
    const Words counter = {{low(path_), high(path_), draw, stream_}};
    const r123::Philox4x32::key_type key = {{low(seed_), high(seed_)}};
    return r123::Philox4x32()(counter, key);
  }

  SKUA_BODY Uniforms uniforms(std::uint32_t draw) const {
    const Words word = words(draw);
    return {uniform(word.v[0]), uniform(word.v[1]), uniform(word.v[2]), uniform(word.v[3])};
  }

  SKUA_BODY FineUniforms fine_uniforms(std::uint32_t draw) const {
    const Words word = words(draw);
    return {fine_uniform(word.v[0], word.v[1]), fine_uniform(word.v[2], word.v[3])};
  }

 private:
  static SKUA_BODY std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
  static SKUA_BODY std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

  /// The middle of one of 2^32 equal cells.
  static SKUA_BODY double uniform(std::uint32_t word) { return (static_cast<double>(word) + 0.5) * 0x1p-32; }

  /// The middle of one of 2^52 equal cells: with 2^53 of them the last middle would round to 1.
  static SKUA_BODY double fine_uniform(std::uint32_t upper, std::uint32_t lower) {
    const std::uint64_t cell = (std::uint64_t{upper} << 20) | (lower >> 12);
    return (static_cast<double>(cell) + 0.5) * 0x1p-52;
  }

  std::uint64_t seed_;
  std::uint64_t path_;
  std::uint32_t stream_;
};

}  // namespace monte_carlo
