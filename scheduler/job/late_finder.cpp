// Finds the launch that would end last, and hands out copies of it.
#include "late_finder.hpp"

#include <algorithm>
#include <cmath>

#include <decide/late_rule.hpp>

namespace skua {
namespace {

// A copy is itself late when it takes this many times its forecast, and then some.
constexpr double round_factor = 3.0;
constexpr std::int64_t round_slack_ns = 1'000'000;
// Without any rate there is no forecast: a launch that runs this long is worth the while of a device with nothing to
// do.
constexpr std::int64_t blind_patience_ns = 100'000'000;

}  // namespace

LateFinder::LateFinder(const Granules& granules, const Work& work, const RateBoard& rates, bool copies,
                       const std::vector<bool>& stops_at_granules)
    : granules_(granules), work_(work), rates_(rates), copies_(copies), flights_(rates.device_count()) {
  for (std::size_t i = 0; i < flights_.size(); ++i) flights_[i].stop_at_granules = stops_at_granules[i];
}

Flight* LateFinder::begin(std::uint32_t device, Interval granules, std::int64_t begin_ns,
                          std::int64_t forecast_end_ns) {
  Flights& flights = flights_[device];
  // Who stops the Job looks at flights under this mutex: either this one is seen, or the stop is seen here.
  const Lock lock(flights.mutex);
  if (is_stopped()) return nullptr;
  const auto free =
      std::find_if(flights.all.begin(), flights.all.end(), [](const Flight& flight) { return flight.reusable(); });
  Flight& flight = free != flights.all.end() ? *free : flights.all.emplace_back();
  flight.start(granules, begin_ns, forecast_end_ns);
  return &flight;
}

/// A launch that started before any rate was known is forecast by what is known now.
std::int64_t LateFinder::forecast_end_ns(const Flight::Sighting& seen, std::uint32_t device) const noexcept {
  if (seen.forecast_end_ns != Flight::no_forecast) return seen.forecast_end_ns;
  return moment_after(seen.begin_ns, rates_.seconds(work_.of(seen.granules), device));
}

/// Of a launch that is late with a granule which may be one of the dear ones a copy would meet it, too. A single
/// granule is nobody's to share.
double LateFinder::copy_seconds(const Flight::Sighting& seen, std::uint32_t device, std::uint32_t owner,
                                std::int64_t now_ns) const noexcept {
  const double work = work_.of(seen.granules);
  const double seconds =
      seen.granules.size() > 1 ? rates_.copy_seconds(work, device, owner, now_ns) : rates_.seconds(work, device);
  return std::max(seconds, rates_.seconds(rates_.dearest_granule(), device));
}

/// A part of what no copy was begun of yet, so that all who take part are done together: by factoring.
std::optional<LateFinder::Piece> LateFinder::take_piece(const std::shared_ptr<LateChunk>& late, std::uint32_t device,
                                                        std::int64_t now_ns, double overhead_seconds) const {
  const double own = rates_.rate(device);
  const double smallest = overhead_seconds * own / static_cast<double>(granules_.granule_items());
  const double part = late->left() * own / (2 * rates_.live_rate());
  const double granules = std::ceil(std::min<double>(std::max(part, smallest), granules_.count()));
  const auto wanted = static_cast<std::uint32_t>(granules);
  const double seconds = granules * static_cast<double>(granules_.granule_items()) / own;
  const std::int64_t round_ns = rates_.any_measured() ? moment_after(0, round_factor * seconds) : blind_patience_ns;
  const Interval piece = late->take(wanted, now_ns, now_ns + round_slack_ns + round_ns);
  if (piece.empty()) return std::nullopt;
  return Piece{late, piece};
}

LateFinder::Candidate LateFinder::latest(std::uint32_t device, std::int64_t now_ns, double overhead_seconds) {
  const bool blind = !rates_.any_measured();
  Candidate latest;
  for (std::uint32_t other = 0; other < flights_.size(); ++other) {
    if (other == device) continue;
    Flights& flights = flights_[other];
    const Lock lock(flights.mutex);
    for (Flight& flight : flights.all) {
      const auto seen = flight.look();
      if (!seen || (blind && now_ns - seen->begin_ns < blind_patience_ns)) continue;
      LateQuestion question{now_ns, blind ? seen->begin_ns : forecast_end_ns(*seen, other), 0};
      // It is about to stop.
      if (seen->is_asked && question.forecast_end_ns > now_ns) continue;
      // To ask for the cost of a copy is dear where there are many devices.
      const double seconds_left = expected_seconds_left(question);
      if (seconds_left <= std::max(latest.seconds_left, blind ? 0 : overhead_seconds)) continue;
      if (!blind) {
        question.copy_seconds = overhead_seconds + copy_seconds(*seen, device, other, now_ns);
      }
      if (worth_copying(question)) latest = {&flight, *seen, seconds_left};
    }
  }
  return latest;
}

/// Of the launches that can stop inside. What is overdue and may be copied is left to copies, which help also where a
/// single granule never ends.
LateFinder::Candidate LateFinder::longest(std::uint32_t device, std::int64_t now_ns) {
  Candidate longest;
  for (std::uint32_t other = 0; other < flights_.size(); ++other) {
    if (other == device || !flights_[other].stop_at_granules) continue;
    Flights& flights = flights_[other];
    const Lock lock(flights.mutex);
    for (Flight& flight : flights.all) {
      const auto seen = flight.look();
      if (!seen || seen->is_asked || seen->granules.size() < 2) continue;
      const std::int64_t end_ns = rates_.any_measured() ? forecast_end_ns(*seen, other) : seen->begin_ns;
      if (copies_ && end_ns <= now_ns) continue;
      const double seconds_left = expected_seconds_left({now_ns, end_ns, 0});
      if (seconds_left > longest.seconds_left) longest = {&flight, *seen, seconds_left};
    }
  }
  return longest;
}

bool LateFinder::ask_for_rest(std::uint32_t device, std::int64_t now_ns, double overhead_seconds) {
  // To stop and to begin again costs two launches, a look, and what a granule takes.
  constexpr double least_seconds = 50e-6;
  const Candidate found = longest(device, now_ns);
  if (found.flight == nullptr || found.seconds_left < std::max(least_seconds, 4 * overhead_seconds)) return false;
  return found.flight->ask_for_rest(found.seen);
}

std::optional<LateFinder::Piece> LateFinder::take(std::uint32_t device, std::int64_t now_ns, double overhead_seconds) {
  if (!copies_) return std::nullopt;
  const Lock lock(mutex_);
  // Who stops the Job interrupts the late chunks of that moment, under the same mutex: no other may come after.
  if (is_stopped()) return std::nullopt;
  for (const auto& late : late_) {
    if (auto piece = take_piece(late, device, now_ns, overhead_seconds)) return piece;
  }
  const Candidate found = latest(device, now_ns, overhead_seconds);
  if (found.flight == nullptr || !found.flight->freeze(found.seen)) return std::nullopt;
  late_.push_back(std::make_shared<LateChunk>(*found.flight, found.seen.granules));
  return take_piece(late_.back(), device, now_ns, overhead_seconds);
}

std::optional<std::int64_t> LateFinder::next_ns(std::uint32_t device, std::int64_t now_ns) const {
  if (!copies_ || !rates_.any_measured()) return std::nullopt;
  std::optional<std::int64_t> next;
  const auto consider = [&next](std::int64_t moment_ns) { next = std::min(next.value_or(moment_ns), moment_ns); };
  const Lock lock(mutex_);
  for (const auto& late : late_) {
    if (!late->original().is_decided()) consider(std::max(now_ns, late->round_end_ns()));
  }
  for (std::uint32_t other = 0; other < flights_.size(); ++other) {
    if (other == device) continue;
    const Flights& flights = flights_[other];
    const Lock flights_lock(flights.mutex);
    for (const Flight& flight : flights.all) {
      const auto seen = flight.look();
      if (!seen) continue;
      const std::int64_t end_ns = forecast_end_ns(*seen, other);
      if (next && std::max(now_ns, end_ns) >= *next) continue;
      consider(std::max(now_ns, moment_after(end_ns, copy_seconds(*seen, device, other, now_ns))));
    }
  }
  return next;
}

void LateFinder::stop() {
  {
    const Lock lock(mutex_);
    stopped_.store(true, std::memory_order_release);
    for (const auto& late : late_) late->original().interrupt();
  }
  for (Flights& flights : flights_) {
    const Lock lock(flights.mutex);
    for (Flight& flight : flights.all) flight.interrupt();
  }
}

void LateFinder::for_each_interrupted(const std::function<void(const LateChunk&)>& visit) const {
  const Lock lock(mutex_);
  for (const auto& late : late_) {
    if (late->original().was_interrupted()) visit(*late);
  }
}

}  // namespace skua
