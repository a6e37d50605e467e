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
// What takes less than this part of the Job so far counts for less: it may be that cheap items lie there.
constexpr double short_part = 1.0 / 16;
// A chunk shall last this many times what its launch costs. While a device turns to its next chunk it stands still.
// What the host spends is hidden behind the other launch where a device holds two: it only must not run out of that one
// before the host has seen an end and launched again. With chunks that shrink by a quarter, each launch of which costs
// c, the last ones of length s, devices end s / 2 apart: c * 4 * ln(1 / s) + s / 2 is least for s = 8 c. Loops of a
// millisecond lose less with somewhat more, and longer ones do not notice.
constexpr double gap_factor = 12.0;
constexpr double launch_factor = 10.0;
constexpr double launch_factor_of_queue = 3.0;

}  // namespace

void Feedback::begin_job(bool is_doubted) noexcept {
  if (job_busy_s_ > 0) rate_ = job_items_ / job_busy_s_;
  job_items_ = 0;
  job_busy_s_ = 0;
  job_took_s_ = 0;
  confirmed_ = false;
  doubted_ = is_doubted;
}

void Feedback::add_chunk(double work, std::int64_t busy_ns) noexcept {
  if (!(work > 0) || busy_ns <= 0) return;
  const double seconds = static_cast<double>(busy_ns) * 1e-9;
  const double sample = work / seconds;
  if (!first_) {
    first_ = sample;
    return;
  }
  if (!rate_ || std::exchange(doubted_, false)) rate_ = sample;
  const double bounded = std::clamp(sample, *rate_ / step_max, *rate_ * step_max);
  if (bounded == sample) {
    confirmed_ = true;
    far_in_a_row_ = 0;
  } else {
    look_for_change(sample, seconds);
  }
  if (far_in_a_row_ >= believed_after && far_s_ >= short_part * job_took_s_) {
    // The Job so far was measured by another rate.
    rate_ = sample;
    far_in_a_row_ = 0;
    job_items_ = work;
    job_busy_s_ = job_items_ / sample;
    job_took_s_ += seconds;
    return;
  }
  const double enough_s = short_part * job_took_s_;
  *rate_ += sample_weight * std::min(1.0, enough_s > 0 ? seconds / enough_s : 1) * (bounded - *rate_);
  job_items_ += work;
  job_busy_s_ += work / bounded;
  job_took_s_ += std::min(seconds, work / bounded);
}

/// Of two chunks that followed one another soon, one had far more items than the other. If it took hardly longer, both
/// fill the device no more than once; if it did, and the other one took no longer than the least, the device is filled
/// by a part of it.
void Feedback::look_for_filling(std::uint64_t items, std::int64_t busy_ns) noexcept {
  constexpr double far = 1.5;
  constexpr double hardly = 1.2;
  const Timed now{static_cast<double>(items), static_cast<double>(busy_ns) * 1e-9};
  for (const Timed& before : recent_) {
    const auto& [fewer, more] = before.items < now.items ? std::pair(before, now) : std::pair(now, before);
    if (!(fewer.items > 0) || more.items < far * fewer.items) continue;
    const double longer = more.seconds / fewer.seconds;
    // Items that cost something else would take less time though there are more of them.
    if (longer * hardly < 1) continue;
    const bool is_least = is_filling_known_ && fewer.seconds < hardly * least_s_;
    if (longer >= hardly && !is_least) continue;
    filling_items_ = std::max(filling_items_, static_cast<std::uint64_t>(more.items / std::max(1.0, longer)));
    least_s_ = fewer.seconds;
    is_filling_known_ = true;
    is_filled_ = longer >= hardly;
  }
  std::rotate(recent_.begin(), recent_.end() - 1, recent_.end());
  recent_.front() = now;
}

std::uint64_t Feedback::filling_items() const noexcept {
  // More may take no longer, either: the next chunk tells.
  return is_filling_known_ && !is_filled_ ? 2 * filling_items_ : filling_items_;
}

void Feedback::look_for_change(double sample, double seconds) noexcept {
  const bool same_side = (sample > *rate_) == (far_sample_ > *rate_);
  const bool agrees = far_sample_ > 0 && std::max(sample, far_sample_) <= step_max * std::min(sample, far_sample_);
  const bool is_next = far_in_a_row_ > 0 && same_side && agrees;
  far_in_a_row_ = is_next ? far_in_a_row_ + 1 : 1;
  far_s_ = is_next ? far_s_ + seconds : seconds;
  far_sample_ = sample;
}

void Feedback::correct(double work, double busy_s) noexcept {
  if (!(work > 0) || !(busy_s > 0)) return;
  job_items_ = work;
  job_busy_s_ = busy_s;
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

std::uint64_t Feedback::items_in_gaps(double gaps) const noexcept {
  return static_cast<std::uint64_t>(std::clamp(rate_.value_or(0) * gaps * gap_.seconds, 0.0, 0x1p62));
}

std::uint64_t Feedback::hiding_items(std::uint32_t launches) const noexcept {
  if (!rate_) return 1;
  const double of_launch = launch_.seconds * (launches > 1 ? launch_factor_of_queue : launch_factor);
  const double items = std::ceil(*rate_ * std::max(gap_factor * gap_.seconds, of_launch));
  return static_cast<std::uint64_t>(std::clamp(items, 1.0, 0x1p62));
}

}  // namespace skua
