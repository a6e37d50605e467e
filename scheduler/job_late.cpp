// How a Job finds late chunks and hands out copies of them.
#include <skua/job.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace skua {
namespace {

// A copy is itself late when it takes this many times its forecast, and then some.
constexpr double round_factor = 3.0;
constexpr std::int64_t round_slack_ns = 1'000'000;
// Without any rate there is no forecast: a launch that runs this long is worth the while of a device with nothing to
// do.
constexpr std::int64_t blind_patience_ns = 100'000'000;
// No moment lies further ahead than this, some thirty years: sums of two still fit.
constexpr double ahead_max_ns = 1e18;

std::int64_t in_ns(double seconds) {
  return static_cast<std::int64_t>(std::min(seconds * 1e9, ahead_max_ns));
}

}  // namespace

/// A launch that started before any rate was known is forecast by what is known now.
std::int64_t Job::forecast_end_ns(const Flight::Sighting& seen, std::uint32_t device) const noexcept {
  if (seen.forecast_end_ns != Flight::no_forecast) return seen.forecast_end_ns;
  return seen.begin_ns + in_ns(static_cast<double>(items_in(seen.granules)) / rate(device));
}

/// What a copy of what `owner` runs takes: `device`, and those that run out of work at about the same time, share it.
double Job::copy_seconds(Interval granules, std::uint32_t device, std::uint32_t owner, std::int64_t now_ns) const {
  const auto items = static_cast<double>(items_in(granules));
  const std::int64_t alone_ns = in_ns(items / rate(device));
  double rates = rate(device);
  for (std::uint32_t other = 0; other < device_count(); ++other) {
    const Seat& seat = seats_[other];
    if (other == device || other == owner || seat.retired.load(std::memory_order_relaxed)) continue;
    const std::int64_t free_in_ns = seat.busy_until_ns.load(std::memory_order_relaxed) - now_ns;
    if (std::abs(free_in_ns) <= alone_ns) rates += rate(other);
  }
  return items / rates;
}

/// A part of what no copy was begun of yet, so that all who take part are done together: by factoring.
std::optional<Job::LatePiece> Job::take_piece(const std::shared_ptr<LateChunk>& late, std::uint32_t device,
                                              std::int64_t now_ns, double overhead_seconds) {
  double live = 0;
  for (std::uint32_t other = 0; other < device_count(); ++other) {
    if (!seats_[other].retired.load(std::memory_order_relaxed)) live += rate(other);
  }
  const double own = rate(device);
  const double smallest = overhead_seconds * own / static_cast<double>(spec_.granule_items);
  const double part = late->left() * own / (2 * live);
  const auto wanted = static_cast<std::uint32_t>(std::ceil(std::min<double>(std::max(part, smallest), granules_)));
  const double seconds = static_cast<double>(wanted * spec_.granule_items) / own;
  const std::int64_t round_ns = any_rate_known() ? in_ns(round_factor * seconds) : blind_patience_ns;
  const Interval piece = late->take(wanted, now_ns, now_ns + round_slack_ns + round_ns);
  if (piece.empty()) return std::nullopt;
  return LatePiece{late, piece};
}

std::optional<Job::LatePiece> Job::take_late(std::uint32_t device, std::int64_t now_ns, double overhead_seconds) {
  if (!spec_.repeatable) return std::nullopt;
  const bool blind = !any_rate_known();
  const std::lock_guard lock(mutex_);
  // Who stops the Job interrupts the late chunks of that moment, under the same mutex: no other may come after.
  if (stopped() != Stop::none) return std::nullopt;
  for (const auto& late : late_) {
    if (const auto piece = take_piece(late, device, now_ns, overhead_seconds)) return piece;
  }
  Flight* latest = nullptr;
  Flight::Sighting latest_seen;
  double longest_seconds = 0;
  for (std::uint32_t other = 0; other < device_count(); ++other) {
    if (other == device) continue;
    const std::lock_guard seat_lock(seats_[other].mutex);
    for (Flight& flight : seats_[other].flights) {
      const auto seen = flight.look();
      if (!seen) continue;
      if (blind && now_ns - seen->begin_ns < blind_patience_ns) continue;
      LateQuestion question{now_ns, blind ? seen->begin_ns : forecast_end_ns(*seen, other), 0};
      // To ask for the cost of a copy is dear where there are many devices.
      if (expected_seconds_left(question) <= std::max(longest_seconds, blind ? 0 : overhead_seconds)) continue;
      if (!blind) question.copy_seconds = overhead_seconds + copy_seconds(seen->granules, device, other, now_ns);
      if (!worth_copying(question)) continue;
      latest = &flight;
      latest_seen = *seen;
      longest_seconds = expected_seconds_left(question);
    }
  }
  if (latest == nullptr || !latest->freeze(latest_seen)) return std::nullopt;
  late_.push_back(std::make_shared<LateChunk>(*latest, latest_seen.granules));
  return take_piece(late_.back(), device, now_ns, overhead_seconds);
}

std::optional<std::int64_t> Job::next_late_ns(std::uint32_t device, std::int64_t now_ns) const {
  if (!spec_.repeatable || !any_rate_known()) return std::nullopt;
  std::optional<std::int64_t> next;
  const auto consider = [&next](std::int64_t moment_ns) { next = std::min(next.value_or(moment_ns), moment_ns); };
  const std::lock_guard lock(mutex_);
  for (const auto& late : late_) {
    if (!late->original().settled()) consider(std::max(now_ns, late->round_end_ns()));
  }
  for (std::uint32_t other = 0; other < device_count(); ++other) {
    if (other == device) continue;
    const Seat& seat = seats_[other];
    const std::lock_guard seat_lock(seat.mutex);
    for (const Flight& flight : seat.flights) {
      const auto seen = flight.look();
      if (!seen) continue;
      const std::int64_t end_ns = forecast_end_ns(*seen, other);
      if (next && std::max(now_ns, end_ns) >= *next) continue;
      consider(std::max(now_ns, end_ns + in_ns(copy_seconds(seen->granules, device, other, now_ns))));
    }
  }
  return next;
}

}  // namespace skua
