// Rates that survive outliers.
#include "feedback.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skua {
namespace {

// Half of each new sample: a real change is followed within three or four chunks, and a spike is forgotten as fast.
constexpr double sample_weight = 0.5;
constexpr double step_max = 2.0;
constexpr unsigned believed_after = 3;
// A chunk shall last this many times what its launch costs. While a device turns to its next chunk it stands still.
// What the host spends is hidden behind the other launch where a device holds two: it only must not run out of that one
// before the host has seen an end and launched again. With chunks that shrink by a quarter, each launch of which costs
// c, the last ones of length s, devices end s / 2 apart: c * 4 * ln(1 / s) + s / 2 is least for s = 8 c. Loops of a
// millisecond lose less with somewhat more, and longer ones do not notice.
constexpr double gap_factor = 12.0;
constexpr double launch_factor = 10.0;
constexpr double launch_factor_of_queue = 3.0;

}  // namespace

void Feedback::begin_job() noexcept {
  if (job_busy_s_ > 0) rate_ = job_items_ / job_busy_s_;
  job_items_ = 0;
  job_busy_s_ = 0;
  confirmed_ = false;
}

void Feedback::add_chunk(std::uint64_t items, std::int64_t busy_ns) noexcept {
  if (items == 0 || busy_ns <= 0) return;
  if (!first_seen_) {
    first_seen_ = true;
    return;
  }
  const double sample = static_cast<double>(items) / (static_cast<double>(busy_ns) * 1e-9);
  if (!rate_) rate_ = sample;
  const double bounded = std::clamp(sample, *rate_ / step_max, *rate_ * step_max);
  if (bounded == sample) {
    confirmed_ = true;
    far_in_a_row_ = 0;
  } else {
    look_for_change(sample);
  }
  if (far_in_a_row_ == believed_after) {
    // The Job so far was measured by another rate.
    rate_ = sample;
    far_in_a_row_ = 0;
    job_items_ = static_cast<double>(items);
    job_busy_s_ = job_items_ / sample;
    return;
  }
  *rate_ += sample_weight * (bounded - *rate_);
  job_items_ += static_cast<double>(items);
  job_busy_s_ += static_cast<double>(items) / bounded;
}

void Feedback::look_for_change(double sample) noexcept {
  const bool same_side = (sample > *rate_) == (far_sample_ > *rate_);
  const bool agrees = far_sample_ > 0 && std::max(sample, far_sample_) <= step_max * std::min(sample, far_sample_);
  far_in_a_row_ = far_in_a_row_ > 0 && same_side && agrees ? far_in_a_row_ + 1 : 1;
  far_sample_ = sample;
}

void Feedback::scale(double factor) noexcept {
  if (rate_) *rate_ *= factor;
}

void Feedback::Cost::add(std::int64_t ns) noexcept {
  const double sample = std::max<double>(0, static_cast<double>(ns)) * 1e-9;
  // Where nothing is known yet, the lesser of two in a row counts: the first one loads code, and the thread may have
  // been held up at the second.
  const double before = std::exchange(last, sample);
  if (seconds > 0) {
    seconds += sample_weight * (std::min(sample, 2 * seconds) - seconds);
  } else if (before >= 0) {
    seconds = std::min(sample, before);
  }
}

void Feedback::add_gap(std::int64_t gap_ns) noexcept {
  gap_.add(gap_ns);
}

void Feedback::add_launch(std::int64_t host_ns) noexcept {
  launch_.add(host_ns);
}

std::uint64_t Feedback::hiding_items(std::uint32_t launches) const noexcept {
  if (!rate_) return 1;
  const double of_launch = launch_.seconds * (launches > 1 ? launch_factor_of_queue : launch_factor);
  const double items = std::ceil(*rate_ * std::max(gap_factor * gap_.seconds, of_launch));
  return static_cast<std::uint64_t>(std::clamp(items, 1.0, 0x1p62));
}

}  // namespace skua
