// Sleep far from the forecast moment, spin around it, yield and then sleep again when it has passed.
// A forecast may be much too late, so each sleep covers a quarter of what is left: an early end is then seen no later
// than after a third of the time that the launch took.
#include "waiting.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace skua {
namespace {

// A timed sleep wakes up to about 60 us late, so it ends that much before the moment.
constexpr std::int64_t sleep_slack_ns = 100'000;
constexpr std::int64_t spin_ns = 50'000;
constexpr std::int64_t warm_spin_ns = 200'000;
constexpr std::int64_t yield_ns = 500'000;
constexpr std::int64_t late_sleep_max_ns = 1'000'000;

std::chrono::steady_clock::time_point in_ns(std::int64_t ns) {
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::max<std::int64_t>(ns, 0));
}

}  // namespace

void Waiting::wait(const Step& step, Parking::Ticket ticket) {
  if (step.wait == Step::Wait::completion) wait_for_completion(step.until_ns, ticket);
  if (step.wait == Step::Wait::work) wait_for_work(step.until_ns, ticket);
}

void Waiting::wait_for_work(std::int64_t until_ns, Parking::Ticket ticket) {
  const std::int64_t left_ns = until_ns - clock_.now_ns();
  if (warm_ && left_ns < warm_spin_ns) {
    spin_until([&] { return parking_.ticket() != ticket; }, until_ns, clock_);
  } else {
    parking_.wait_until(ticket, in_ns(left_ns));
  }
}

void Waiting::wait_for_completion(std::int64_t forecast_ns, Parking::Ticket ticket) {
  const std::int64_t now_ns = clock_.now_ns();
  if (forecast_ns != polled_forecast_ns_) {
    polled_forecast_ns_ = forecast_ns;
    polling_since_ns_ = std::max(now_ns, forecast_ns);
  }
  if (forecast_ns - now_ns > 2 * sleep_slack_ns) {
    return parking_.wait_until(ticket, in_ns((forecast_ns - now_ns) / 4));
  }
  const std::int64_t late_ns = now_ns - polling_since_ns_;
  if (late_ns < spin_ns) {
    spin_pause();
  } else if (late_ns < yield_ns) {
    std::this_thread::yield();
  } else {
    parking_.wait_until(ticket, in_ns(std::min(late_ns / 16, late_sleep_max_ns)));
  }
}

}  // namespace skua
