// Sums over the devices' rates, made anew whenever one changes, so that asking costs nothing.
#include "rate_board.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace skua {

std::int64_t moment_after(std::int64_t from_ns, double seconds) noexcept {
  // Sums of two still fit.
  constexpr double ahead_max_ns = 1e18;
  return from_ns + static_cast<std::int64_t>(std::min(seconds * 1e9, ahead_max_ns));
}

RateBoard::RateBoard(const std::vector<RatedDevice>& devices, std::int64_t now_ns)
    : count_(devices.size()), entries_(std::make_unique<Entry[]>(devices.size())) {
  for (std::size_t i = 0; i < count_; ++i) {
    entries_[i].guess = devices[i].rate_guess;
    entries_[i].measured = devices[i].items_per_second.value_or(0);
    entries_[i].busy_until_ns = now_ns;
    entries_[i].retired = !devices[i].takes_part;
  }
  const Lock lock(mutex_);
  add_up();
}

void RateBoard::set_measured(std::uint32_t device, double items_per_second) {
  const Lock lock(mutex_);
  entries_[device].measured.store(items_per_second, std::memory_order_relaxed);
  add_up();
}

void RateBoard::retire(std::uint32_t device) {
  const Lock lock(mutex_);
  entries_[device].retired.store(true, std::memory_order_release);
  add_up();
}

void RateBoard::saw_granules(double work_each) noexcept {
  if (!(work_each > dearest_granule())) return;
  const Lock lock(mutex_);
  dearest_twice_.store(std::min(std::max(work_each, dearest_granule()), dearest_once_), std::memory_order_relaxed);
  dearest_once_ = std::max(dearest_once_, work_each);
}

void RateBoard::add_up() {
  double known = 0;
  double guesses_of_known = 0;
  double measured_live = 0;
  double guesses_live = 0;
  std::uint32_t live = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double rate = entries_[i].measured.load(std::memory_order_relaxed);
    const bool is_live = !entries_[i].retired.load(std::memory_order_relaxed);
    if (rate > 0) {
      known += rate;
      guesses_of_known += entries_[i].guess;
    }
    if (!is_live) continue;
    ++live;
    (rate > 0 ? measured_live : guesses_live) += rate > 0 ? rate : entries_[i].guess;
  }
  const double worth = guesses_of_known > 0 ? known / guesses_of_known : 1;
  const double sum = measured_live + guesses_live * worth;
  any_measured_.store(known > 0, std::memory_order_relaxed);
  guess_worth_.store(worth, std::memory_order_relaxed);
  live_rate_.store(sum, std::memory_order_relaxed);
  mean_rate_.store(live > 0 ? sum / live : 1, std::memory_order_relaxed);
  live_count_.store(live, std::memory_order_release);
  count_those_that_count();
}

void RateBoard::count_those_that_count() {
  constexpr double least_part = 1.0 / 16;
  double fastest = 0;
  for (std::uint32_t i = 0; i < count_; ++i) fastest = std::max(fastest, is_retired(i) ? 0 : rate(i));
  std::uint32_t counting = 0;
  for (std::uint32_t i = 0; i < count_; ++i) counting += !is_retired(i) && rate(i) >= least_part * fastest ? 1 : 0;
  counting_.store(std::max(counting, 1u), std::memory_order_relaxed);
}

double RateBoard::seconds_busy(std::uint32_t device, std::int64_t now_ns) const noexcept {
  const std::int64_t until_ns = entries_[device].busy_until_ns.load(std::memory_order_relaxed);
  return static_cast<double>(std::abs(until_ns - now_ns)) * 1e-9;
}

double RateBoard::copy_seconds(double work, std::uint32_t device, std::uint32_t owner,
                               std::int64_t now_ns) const noexcept {
  const std::int64_t alone_ns = moment_after(0, seconds(work, device));
  double rates = rate(device);
  for (std::uint32_t other = 0; other < count_; ++other) {
    if (other == device || other == owner || is_retired(other)) continue;
    const std::int64_t free_in_ns = entries_[other].busy_until_ns.load(std::memory_order_relaxed) - now_ns;
    if (std::abs(free_in_ns) <= alone_ns) rates += rate(other);
  }
  return work / rates;
}

std::uint64_t RateBoard::filling_items(std::uint32_t device) const noexcept {
  const auto known = [&](std::uint32_t of) { return entries_[of].filling_items.load(std::memory_order_relaxed); };
  if (known(device) > 1) return known(device);
  for (std::uint32_t other = 0; other < count_; ++other) {
    if (entries_[other].guess == entries_[device].guess && known(other) > 1) return known(other);
  }
  return 1;
}

double RateBoard::seconds_without(std::uint32_t device, double work, double piece, std::int64_t now_ns) const noexcept {
  constexpr double never = std::numeric_limits<double>::infinity();
  double rates = 0;
  double soonest = never;
  for (std::uint32_t other = 0; other < count_; ++other) {
    if (other == device || is_retired(other)) continue;
    const double busy_s = seconds_busy(other, now_ns);
    rates += rate(other);
    work += rate(other) * busy_s;
    soonest = std::min(soonest, busy_s + piece / rate(other));
  }
  return rates > 0 ? std::max(work / rates, soonest) : never;
}

std::optional<std::int64_t> RateBoard::end_ns(double work_left, std::int64_t now_ns) const noexcept {
  if (!any_measured()) return std::nullopt;
  std::int64_t busy_until_ns = now_ns;
  for (std::size_t i = 0; i < count_; ++i) {
    if (entries_[i].retired.load(std::memory_order_relaxed)) continue;
    busy_until_ns = std::max(busy_until_ns, entries_[i].busy_until_ns.load(std::memory_order_relaxed));
  }
  const double rates = live_rate();
  return moment_after(busy_until_ns, rates > 0 ? work_left / rates : 0);
}

}  // namespace skua
