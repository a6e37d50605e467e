// When a launch that runs is worth running again on an idle device.
#pragma once

#include <cstdint>

namespace skua {

/// What decides whether a launch is worth running again.
struct LateQuestion {
  std::int64_t now_ns = 0;
  std::int64_t forecast_end_ns = 0;
  double copy_seconds = 0;  ///< what the asking device would need for a copy
};

/// Seconds that the launch is thought to need yet: up to its forecast, or, when late, as long again as it is late.
double expected_seconds_left(const LateQuestion& question) noexcept;

/// Whether a copy is expected to be done before the original.
bool worth_copying(const LateQuestion& question) noexcept;

}  // namespace skua
