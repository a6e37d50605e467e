// How a Job finds late chunks and hands out copies of them.
#include <skua/job.hpp>

#include <algorithm>
#include <cmath>

namespace skua {
namespace {

// A copy is itself late when it takes this many times its forecast, and then some.
constexpr double round_factor = 3.0;
constexpr std::int64_t round_slack_ns = 1'000'000;
// Without any rate there is no forecast: a launch that runs this long is worth the while of a device with nothing to
// do.
constexpr std::int64_t blind_patience_ns = 100'000'000;

}  // namespace

/// A launch that started before any rate was known is forecast by what is known now.
std::int64_t Job::forecast_end_ns(const Flight::Sighting& seen, std::uint32_t device) const noexcept {
  if (seen.forecast_end_ns != Flight::no_forecast) return seen.forecast_end_ns;
  return seen.begin_ns + static_cast<std::int64_t>(static_cast<double>(items_in(seen.granules)) / rate(device) * 1e9);
}

std::optional<Job::LatePiece> Job::take_piece(const std::shared_ptr<LateChunk>& late, std::uint32_t granules,
                                              std::uint32_t device, std::int64_t now_ns) {
  // All devices that still run take part, each by its rate.
  double live = 0;
  for (std::uint32_t other = 0; other < device_count(); ++other) {
    if (!seats_[other].retired.load(std::memory_order_relaxed)) live += rate(other);
  }
  const double own = rate(device);
  const auto wanted = static_cast<std::uint32_t>(std::ceil(granules * own / (2 * live)));
  const double seconds = static_cast<double>(wanted * spec_.granule_items) / own;
  const double forecast_ns = any_rate_known() ? round_factor * seconds * 1e9 : blind_patience_ns;
  const std::int64_t end_ns = now_ns + round_slack_ns + static_cast<std::int64_t>(std::min(forecast_ns, 1e18));
  const Interval piece = late->take(wanted, now_ns, end_ns);
  if (piece.empty()) return std::nullopt;
  return LatePiece{late, piece};
}

std::optional<Job::LatePiece> Job::take_late(std::uint32_t device, std::int64_t now_ns, double overhead_seconds) {
  if (!spec_.repeatable) return std::nullopt;
  const bool blind = !any_rate_known();
  const std::lock_guard lock(mutex_);
  for (const auto& late : late_) {
    if (const auto piece = take_piece(late, late->granules().size(), device, now_ns)) return piece;
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
      const double copy_seconds =
          blind ? 0 : overhead_seconds + static_cast<double>(items_in(seen->granules)) / rate(device);
      const LateQuestion question{now_ns, blind ? seen->begin_ns : forecast_end_ns(*seen, other), copy_seconds};
      if (!worth_copying(question) || expected_seconds_left(question) <= longest_seconds) continue;
      latest = &flight;
      latest_seen = *seen;
      longest_seconds = expected_seconds_left(question);
    }
  }
  if (latest == nullptr || !latest->freeze(latest_seen)) return std::nullopt;
  late_.push_back(std::make_shared<LateChunk>(*latest, latest_seen.granules));
  return take_piece(late_.back(), latest_seen.granules.size(), device, now_ns);
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
      const double copy_seconds = static_cast<double>(items_in(seen->granules)) / rate(device);
      consider(std::max(now_ns, forecast_end_ns(*seen, other) + static_cast<std::int64_t>(copy_seconds * 1e9)));
    }
  }
  return next;
}

}  // namespace skua
