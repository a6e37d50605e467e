// Rates that survive outliers.
#include <skua/feedback.hpp>

#include <algorithm>
#include <cmath>

namespace skua {
namespace {

// Half of each new sample: a real change is followed within three or four chunks, and a spike is forgotten as fast.
constexpr double sample_weight = 0.5;
constexpr double step_max = 2.0;
// A chunk shall last this many times what its launch costs.
constexpr double hiding_factor = 10.0;

}  // namespace

void Feedback::add_chunk(std::uint64_t items, std::int64_t busy_ns) noexcept {
  if (items == 0 || busy_ns <= 0) return;
  if (!first_seen_) {
    first_seen_ = true;
    return;
  }
  const double sample = static_cast<double>(items) / (static_cast<double>(busy_ns) * 1e-9);
  if (!rate_) {
    rate_ = sample;
    return;
  }
  const double bounded = std::clamp(sample, *rate_ / step_max, *rate_ * step_max);
  *rate_ += sample_weight * (bounded - *rate_);
}

void Feedback::add_overhead(std::int64_t overhead_ns) noexcept {
  if (!first_overhead_seen_) {
    first_overhead_seen_ = true;
    return;
  }
  const double sample = std::max<double>(0, static_cast<double>(overhead_ns)) * 1e-9;
  overhead_s_ =
      overhead_s_ == 0 ? sample : overhead_s_ + sample_weight * (std::min(sample, 2 * overhead_s_) - overhead_s_);
}

std::uint64_t Feedback::hiding_items() const noexcept {
  if (!rate_) return 1;
  const double items = std::ceil(*rate_ * overhead_s_ * hiding_factor);
  return static_cast<std::uint64_t>(std::clamp(items, 1.0, 0x1p62));
}

}  // namespace skua
