// Single-precision functions at a GPU's speed. There an instruction each, wrong by some 2^-21 at most; on hosts the
// library's own.
#pragma once

#include <cmath>

#include <skua/kernel.hpp>

namespace monte_carlo {

/// A point of the unit circle.
struct Direction {
  float cosine;
  float sine;
};

#if defined(__CUDA_ARCH__)

// CUDA's intrinsics take care of numbers below 2^-126, which nothing here needs, by several instructions more.
SKUA_BODY inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
SKUA_BODY inline float fast_log2(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
SKUA_BODY inline float fast_sqrt(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// Units: radians, from -pi to pi.
SKUA_BODY inline Direction fast_direction(float angle) {
  Direction direction;
  __sincosf(angle, &direction.sine, &direction.cosine);
  return direction;
}

#elif defined(__HIP_DEVICE_COMPILE__)

SKUA_BODY inline float fast_exp2(float x) {
#if __has_builtin(__builtin_amdgcn_exp2f)
  return __builtin_amdgcn_exp2f(x);
#else
  return __expf(x * 0.6931471805599453f);
#endif
}
SKUA_BODY inline float fast_log2(float x) {
  return __log2f(x);
}
SKUA_BODY inline float fast_sqrt(float x) {
  return __builtin_amdgcn_sqrtf(x);
}
SKUA_BODY inline Direction fast_direction(float angle) {
  Direction direction;
  __sincosf(angle, &direction.sine, &direction.cosine);
  return direction;
}

#else

SKUA_BODY inline float fast_exp2(float x) {
  return std::exp2(x);
}
SKUA_BODY inline float fast_log2(float x) {
  return std::log2(x);
}
SKUA_BODY inline float fast_sqrt(float x) {
  return std::sqrt(x);
}
SKUA_BODY inline Direction fast_direction(float angle) {
  return {std::cos(angle), std::sin(angle)};
}

#endif

}  // namespace monte_carlo
