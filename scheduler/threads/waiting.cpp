// Sleep far from the forecast moment, spin around it, yield and then sleep again when it has passed.
// A forecast may be wrong, so that no sleep is longer than a third of the time since the launch began: its end is seen
// after four thirds of the time that it took, whatever was forecast.
#include "waiting.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace skua {
namespace {

// A timed sleep wakes up to about 60 us late, so it ends that much before the moment.
constexpr std::int64_t sleep_slack_ns = 100'000;
constexpr std::int64_t sleep_min_ns = 50'000;
constexpr std::int64_t spin_ns = 50'000;
constexpr std::int64_t warm_spin_ns = 200'000;
constexpr std::int64_t yield_ns = 500'000;
constexpr std::int64_t late_sleep_max_ns = 1'000'000;

std::chrono::steady_clock::time_point in_ns(std::int64_t ns) {
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::max<std::int64_t>(ns, 0));
}

}  // namespace

std::int64_t awake_ns(std::int64_t pause_ns) noexcept {
  constexpr std::int64_t longest_ns = 5'000'000;
  return pause_ns < longest_ns ? std::clamp(pause_ns + pause_ns / 2, warm_ns, longest_ns) : warm_ns;
}

std::int64_t sleep_ns(std::int64_t now_ns, std::int64_t since_ns, std::int64_t forecast_ns) noexcept {
  const std::int64_t left_ns = forecast_ns - now_ns;
  if (left_ns <= 2 * sleep_slack_ns) return 0;
  return std::min(left_ns / 4, std::max(sleep_min_ns, (now_ns - since_ns) / 3 - sleep_slack_ns));
}

void Waiting::wait(const Step& step, Parking::Ticket ticket) {
  if (step.wait == Step::Wait::completion) wait_for_completion(step, ticket);
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

void Waiting::wait_for_completion(const Step& step, Parking::Ticket ticket) {
  const std::int64_t now_ns = clock_.now_ns();
  if (step.until_ns != polled_forecast_ns_) {
    polled_forecast_ns_ = step.until_ns;
    polling_since_ns_ = std::max(now_ns, step.until_ns);
  }
  if (const std::int64_t sleep = sleep_ns(now_ns, step.since_ns, step.until_ns); sleep > 0) {
    return parking_.wait_until(ticket, in_ns(sleep));
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
