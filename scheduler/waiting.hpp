// How a Worker's thread waits: spinning only around the moment at which something is forecast to end.
#pragma once

#include <cstdint>

#include <skua/clock.hpp>
#include <skua/parking.hpp>
#include <skua/worker.hpp>

namespace skua {

/// Threads: one.
class Waiting {
 public:
  Waiting(Parking& parking, const Clock& clock) : parking_(parking), clock_(clock) {}

  /// Waits for what `step` says. `ticket` was taken before the step, so that no notice is missed.
  /// Blocks: until the moment, or a notice.
  void wait(const Step& step, Parking::Ticket ticket);

 private:
  void wait_for_completion(std::int64_t forecast_ns, Parking::Ticket ticket);

  Parking& parking_;
  const Clock& clock_;
  std::int64_t polled_forecast_ns_ = 0;  ///< the forecast that is being waited for
  std::int64_t polling_since_ns_ = 0;
};

}  // namespace skua
