// From readings to what changes by them.
#include "load_watch.hpp"

#include <algorithm>
#include <cmath>

namespace skua {
namespace {

// Readings that differ by less agree; changes below this are left to what chunks show.
constexpr double agreement = 0.15;
// Others never take all: a device keeps getting a probing chunk.
constexpr double free_min = 0.05;

}  // namespace

void LoadWatch::see(const GpuLoad& load) noexcept {
  if (!load.at_ns || (last_at_ns_ && *load.at_ns <= *last_at_ns_)) return;
  last_at_ns_ = load.at_ns;
  if (load.own_occupancy) {
    occupancy_sum_ += *load.own_occupancy;
    ++occupancy_count_;
  }
  // Busy time is shared by turns, occupancy by place: either tells what others leave.
  const std::optional<double> taken = load.others_busy ? load.others_busy : load.others_occupancy;
  const std::optional<double> before = last_free_;
  last_free_ = taken ? std::optional<double>(std::clamp(1 - *taken, free_min, 1.0)) : std::nullopt;
  if (!last_free_ || !before || std::abs(*last_free_ - *before) > agreement) return;
  free_ = last_free_;
  // The first that is known sets no rate: they were measured with it.
  if (!free_at_rate_) free_at_rate_ = free_;
}

double LoadWatch::take_change() noexcept {
  if (!free_ || !free_at_rate_ || std::abs(*free_ - *free_at_rate_) <= agreement) return 1;
  const double change = *free_ / *free_at_rate_;
  free_at_rate_ = free_;
  return change;
}

std::optional<double> LoadWatch::own_occupancy() const noexcept {
  return occupancy_count_ > 0 ? std::optional<double>(occupancy_sum_ / occupancy_count_) : std::nullopt;
}

}  // namespace skua
