// How a device's thread waits: spinning only around the moment at which something is forecast to end.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include <skua/clock.hpp>
#include <system/thread.hpp>
#include <worker/step.hpp>

#include "parking.hpp"

namespace skua {

/// Waking a thread up costs some 50 us, so threads of devices that ask for it, and callers of short Jobs, stay awake
/// for this long between Jobs that follow one another closely.
constexpr std::int64_t warm_ns = 1'000'000;

/// As long as it is asked for, within nothing and ten years: "for ever" is the largest number in whatever unit.
constexpr std::chrono::nanoseconds bounded(std::chrono::milliseconds asked) noexcept {
  constexpr std::chrono::milliseconds for_ever = std::chrono::hours(10 * 365 * 24);
  return std::clamp(asked, std::chrono::milliseconds(0), for_ever);
}

/// Spins until `condition` holds or the moment has come, and says whether it holds.
template <class Condition>
bool spin_until(Condition condition, std::int64_t until_ns, const Clock& clock) {
  while (!condition()) {
    if (clock.now_ns() >= until_ns) return false;
    spin_pause();
  }
  return true;
}

/// Yields to whoever has something to do, until `condition` holds or the moment has come, and says whether it holds.
template <class Condition>
bool yield_until(Condition condition, std::int64_t until_ns, const Clock& clock) {
  while (!condition()) {
    if (clock.now_ns() >= until_ns) return false;
    std::this_thread::yield();
  }
  return true;
}

/// How long a thread stays awake after a Job when the one before had come after such a pause: Jobs that follow one
/// another at some milliseconds, as steps of a program do, find it awake. Units: nanoseconds.
std::int64_t awake_ns(std::int64_t pause_ns) noexcept;

/// How long to sleep at now_ns for a launch that began at since_ns and is forecast to end at forecast_ns; 0: not at
/// all. Units: nanoseconds.
std::int64_t sleep_ns(std::int64_t now_ns, std::int64_t since_ns, std::int64_t forecast_ns) noexcept;

/// Threads: one.
class Waiting {
 public:
  /// `warm`: a thread that waits a short time for work spins, since waking it up would take as long.
  Waiting(Parking& parking, const Clock& clock, bool warm) : parking_(parking), clock_(clock), warm_(warm) {}

  /// Waits for what `step` says. `ticket` was taken before the step, so that no notice is missed.
  /// Blocks: until the moment, or a notice.
  void wait(const Step& step, Parking::Ticket ticket);

 private:
  void wait_for_work(std::int64_t until_ns, Parking::Ticket ticket);
  void wait_for_completion(const Step& step, Parking::Ticket ticket);

  Parking& parking_;
  const Clock& clock_;
  bool warm_;
  std::int64_t polled_forecast_ns_ = 0;  ///< the forecast that is being waited for
  std::int64_t polling_since_ns_ = 0;
};

}  // namespace skua
