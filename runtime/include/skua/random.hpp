// Random numbers that depend on (seed, item, draw) and on nothing else: Random123's Philox4x32-10, in bodies for hosts
// and for GPUs. So a loop's numbers are the same on any devices and whatever was stolen.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#if !__has_include(<Random123/philox.h>)
#error "<skua/random.hpp> needs Random123 (Debian: librandom123-dev); CMake finds it elsewhere by RANDOM123_INCLUDE_DIR"
#endif
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

namespace skua {

/// All numbers of one item. A draw gives 128 random bits; draws may be asked for in any order, and any two of them are
/// independent, as are items, and streams: what is to differ for the same item (the rows of a table, say).
/// Normal numbers come in pairs, by Box and Muller. Their bits on a GPU differ from a host's, as those of log and sin
/// do; those of words and uniform numbers do not.
/// Threads: any.  Blocks: never.
class Philox {
 public:
  template <class Number>
  struct Four {
    Number first, second, third, fourth;
  };
  template <class Number>
  struct Two {
    Number first, second;
  };

  SKUA_BODY Philox(std::uint64_t seed, std::uint64_t item, std::uint32_t stream = 0)
      : seed_(seed), item_(item), stream_(stream) {}

  /// The counter's words are item (low, high), draw and stream; the key's are seed (low, high).
  SKUA_BODY Four<std::uint32_t> words(std::uint32_t draw) const {
    const r123::Philox4x32::ctr_type counter = {{low(item_), high(item_), draw, stream_}};
    const r123::Philox4x32::key_type key = {{low(seed_), high(seed_)}};
    const r123::Philox4x32::ctr_type word = r123::Philox4x32()(counter, key);
    return {word.v[0], word.v[1], word.v[2], word.v[3]};
  }

  /// Uniform in (0, 1), 32 random bits each. double: the middle of one of 2^32 equal cells. float: that, rounded, and
  /// at most 1 - 2^-24.
  template <std::floating_point Real = double>
  SKUA_BODY Four<Real> uniforms(std::uint32_t draw) const {
    const Four<std::uint32_t> word = words(draw);
    return {uniform<Real>(word.first), uniform<Real>(word.second), uniform<Real>(word.third),
            uniform<Real>(word.fourth)};
  }

  /// Uniform in (0, 1), 52 random bits each: the middle of one of 2^52 equal cells.
  SKUA_BODY Two<double> fine_uniforms(std::uint32_t draw) const {
    const Four<std::uint32_t> word = words(draw);
    return {fine_uniform(word.first, word.second), fine_uniform(word.third, word.fourth)};
  }

  /// Normal, of mean 0 and variance 1: two pairs, each from two uniform numbers of 32 bits. None is beyond 6.77.
  template <std::floating_point Real = double>
  SKUA_BODY Four<Real> normals(std::uint32_t draw) const {
    const Four<std::uint32_t> word = words(draw);
    const Two<Real> one = normal_pair(uniform<Real>(word.first), half_turns<Real>(word.second));
    const Two<Real> other = normal_pair(uniform<Real>(word.third), half_turns<Real>(word.fourth));
    return {one.first, one.second, other.first, other.second};
  }

  /// Normal, of mean 0 and variance 1: a pair from two uniform numbers of 52 bits. None is beyond 8.58.
  SKUA_BODY Two<double> fine_normals(std::uint32_t draw) const {
    const Two<double> uniform = fine_uniforms(draw);
    return normal_pair(uniform.first, 2 * uniform.second - 1);
  }

  /// The uniform number of one word, as uniforms() makes it.
  template <std::floating_point Real>
  static SKUA_BODY Real uniform(std::uint32_t word) {
    static_assert(std::same_as<Real, float> || std::same_as<Real, double>, "there are float and double");
    const Real middle = static_cast<Real>(word) * static_cast<Real>(0x1p-32) + static_cast<Real>(0x1p-33);
    if constexpr (std::same_as<Real, float>) return middle < 1 ? middle : 0x1.fffffep-1f;
    return middle;
  }

 private:
  static SKUA_BODY std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
  static SKUA_BODY std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

  /// With 2^53 cells the middle of the last one would round to 1.
  static SKUA_BODY double fine_uniform(std::uint32_t upper, std::uint32_t lower) {
    const std::uint64_t cell = (std::uint64_t{upper} << 20) | (lower >> 12);
    return (static_cast<double>(cell) + 0.5) * 0x1p-52;
  }

  /// An angle from -1 to 1, in units of pi.
  template <class Real>
  static SKUA_BODY Real half_turns(std::uint32_t word) {
    return static_cast<Real>(static_cast<std::int32_t>(word)) * static_cast<Real>(0x1p-31) + static_cast<Real>(0x1p-32);
  }

  template <class Real>
  static SKUA_BODY Two<Real> normal_pair(Real uniform, Real half_turns) {
    const Real radius = std::sqrt(-2 * std::log(uniform));
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    Real sine = 0;
    Real cosine = 0;
    if constexpr (std::same_as<Real, float>) {
      ::sincospif(half_turns, &sine, &cosine);
    } else {
      ::sincospi(half_turns, &sine, &cosine);
    }
    return {radius * cosine, radius * sine};
#else
    const Real angle = static_cast<Real>(3.141592653589793) * half_turns;
    return {radius * std::cos(angle), radius * std::sin(angle)};
#endif
  }

  std::uint64_t seed_;
  std::uint64_t item_;
  std::uint32_t stream_;
};

}  // namespace skua
