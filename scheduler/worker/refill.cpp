// Where a Worker's next chunk comes from: its own Share, what is nobody's, a steal, a late chunk; and how it starts.
#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "worker.hpp"

namespace skua {
namespace {

// Two launches where one would do cost some 10 us: a half percent of such a chunk.
constexpr double long_chunk_s = 2e-3;

/// Never the same twice: what a device gives back late is no launch of the next Job.
std::uint64_t next_launch_number() {
  static std::atomic<std::uint64_t> numbers{0};
  return numbers.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

std::uint64_t Worker::hiding_items() const {
  return context_.feedback.hiding_items(can_.launches_max);
}

/// A rate from earlier Jobs may be far too high for this one: until a chunk has confirmed it, what it hides leaves most
/// of the Share for others to take.
std::uint64_t Worker::smallest_items() const {
  std::uint64_t smallest = hiding_items();
  if (!context_.feedback.is_confirmed()) smallest = std::min(smallest, dealt_items_ / 4);
  return std::max<std::uint64_t>(std::max(filling_items_, smallest), 1);
}

double Worker::overhead_seconds() const {
  const std::optional<double> rate = context_.feedback.items_per_second();
  return rate ? static_cast<double>(hiding_items()) / *rate : 0;
}

void Worker::refill(std::uint32_t free_launches) {
  for (; free_launches > 0 && running_.size() < can_.launches_max; --free_launches) {
    if (!running_.empty() && holds_enough()) break;
    const Interval granules = next_granules();
    if (granules.empty()) break;
    Launch launch;
    launch.granules = granules;
    launch.items = job_.granules.items_in(granules);
    launch.work = job_.work.of(granules);
    if (!start(std::move(launch), job_.chunk(granules, context_.index))) return;
  }
  if (running_.empty() && free_launches > 0 && job_.loop.policy->steals()) help_others();
}

/// The last resorts of a device that has nothing else to do.
void Worker::help_others() {
  if (would_end_last(static_cast<double>(job_.granules.granule_items()))) return;
  const bool is_asked = job_.late.ask_for_rest(context_.index, context_.clock.now_ns(), overhead_seconds());
  if (is_asked) return job_.tell();
  copy_late();
}

/// A launch behind another one hides what it costs, which is nothing beside a single granule that takes long: and that
/// is late with the one before it, and out of reach for others. Nor is anything known yet of a device's first chunk.
bool Worker::holds_enough() const {
  const Launch& last = running_.back();
  if (last.granules.size() > 1) return false;
  const auto rate = context_.feedback.least_items_per_second();
  if (!rate) return is_cautious_ && !fills_unknown_ && job_.loop.policy->adapts();
  return last.work / *rate > long_chunk_s;
}

Interval Worker::next_granules() {
  // What a thief takes lies in its own Share for a moment, open to others: it may have to steal again.
  constexpr int attempts_max = 8;
  Share& share = job_.left.share(context_.index);
  for (int attempt = 0; attempt < attempts_max && !job_.is_over(); ++attempt) {
    // To ask for a size costs a look at all devices.
    if (const Interval here = share.look(); !here.empty()) {
      if (would_end_last(job_.work.of({here.front, here.front + 1}))) return {};
      if (!has_met_a_place_ || std::exchange(is_warned_, false)) meet_a_new_place();
      const Interval own = share.take_front(here.size() == 1 ? 1 : wanted_granules(here));
      if (!own.empty()) return own;
    }
    if (job_.left.any_orphan()) {
      meet_a_new_place();
      const Interval orphan = job_.left.take_orphan(wanted_granules(job_.granules.all()));
      if (!orphan.empty()) return orphan;
    }
    if (!job_.loop.policy->steals() || !steal()) break;
  }
  return {};
}

/// Whether the others would be done with all that is left, this work too, before this device with it.
bool Worker::would_end_last(double work) const {
  const RateBoard& rates = job_.rates;
  const auto own_rate = context_.feedback.least_items_per_second();
  if (!own_rate || !rates.any_measured() || !job_.loop.policy->steals()) return false;
  double own_s = work / *own_rate;
  const double left = job_.left.work_in_shares(job_.work);
  const double rates_of_others = rates.live_rate() - rates.rate(context_.index);
  // What others run makes this only longer: to ask for that costs a look at each.
  if (own_s * rates_of_others <= left) return false;
  const std::int64_t now_ns = context_.clock.now_ns();
  if (!running_.empty()) own_s += rates.seconds_busy(context_.index, now_ns);
  // To be a launch late is no harm, and to hold one that is queued hides what the next one costs: told in whole items,
  // of which one alone may take long.
  const double late_s = std::min(overhead_seconds(), long_chunk_s);
  return own_s > rates.seconds_without(context_.index, left, work, now_ns) + late_s;
}

/// Of a loop that nothing is known of, nothing is known of what lies here: a small chunk tells.
void Worker::meet_a_new_place() {
  if (!is_cautious_ || !job_.loop.policy->adapts()) return;
  // What was stolen is where others are late.
  const bool is_own = !std::exchange(has_met_a_place_, true);
  growth_ = is_own ? 4 : 2;
  const double least = static_cast<double>(job_.granules.items()) / ((is_own ? 256.0 : 1024.0) * job_.device_count());
  cautious_work_ = std::max(least, static_cast<double>(job_.granules.granule_items()));
}

/// Chunks grow while they take no longer than was thought, and shrink as much as one was dearer.
void Worker::learn_size(const Launch& launch, double work, std::int64_t busy_ns) {
  constexpr double dear = 4;
  constexpr double cheap = 1.5;
  if (launch.late) return;
  if (is_cautious_ && !overhead_s_) {
    // What a launch costs besides, it costs a longer one, too.
    constexpr double hidden = 4;
    overhead_s_ = static_cast<double>(context_.clock.now_ns() - launch.begin_ns - busy_ns) * 1e-9;
    cautious_work_ =
        std::max(growth_ * cautious_work_, hidden * *overhead_s_ * work / (static_cast<double>(busy_ns) * 1e-9));
    return;
  }
  if (!job_.rates.any_measured()) return;
  const double forecast_s = job_.rates.seconds(work, context_.index) + overhead_seconds() / 10;
  const double least_s = fills_unknown_ ? context_.feedback.least_seconds() : 0;
  const double factor = static_cast<double>(busy_ns) * 1e-9 / std::max(forecast_s, least_s);
  if (is_cautious_ && !job_.loop.is_new && factor < dear && factor > 1 / dear) {
    // It is the loop that it was thought to be.
    is_cautious_ = false;
    cautious_work_ = 0;
    return;
  }
  if (factor > dear) {
    job_.rates.set_any_dear();
    growth_ = 2;
    cautious_work_ = std::max(work / factor, static_cast<double>(job_.granules.granule_items()));
  } else if (factor < cheap && cautious_work_ > 0 && work >= cautious_work_ / 2) {
    cautious_work_ *= growth_;
    if (cautious_work_ > static_cast<double>(job_.granules.items())) cautious_work_ = 0;
  }
}

/// A small chunk is to cost a quarter of a percent at most.
std::uint64_t Worker::largest_items() const {
  constexpr double gaps = 400;
  constexpr double overheads = 32;
  const double overhead = overheads * overhead_s_.value_or(0) * context_.feedback.least_items_per_second().value_or(0);
  return std::max({std::uint64_t{1}, job_.granules.items() / (128 * std::uint64_t{job_.device_count()}),
                   context_.feedback.items_in_gaps(gaps), static_cast<std::uint64_t>(overhead)});
}

std::uint32_t Worker::wanted_granules(Interval from) const {
  const ChunkPolicy& policy = *job_.loop.policy;
  // Nobody could take what waits, and a chunk can be stopped: the device's own cores share it out best.
  if (stops_at_granules_ && job_.device_count() == 1 && policy.adapts()) return from.size();
  ChunkQuestion question;
  question.job_items = job_.granules.items();
  question.devices = policy.adapts() ? job_.rates.counting() : job_.device_count();
  question.items_left = static_cast<std::uint64_t>(job_.left.work_in_shares(job_.work));
  question.share_items = static_cast<std::uint64_t>(job_.work.of(job_.left.share(context_.index).look()));
  if (is_cautious_ && policy.adapts()) question.largest_items = largest_items();
  question.weight = job_.rates.rate(context_.index) * question.devices / job_.rates.live_rate();
  question.smallest_items = smallest_items();
  std::uint64_t items = policy.next_items(question);
  // What waits behind a chunk that turns out to be late is late with it, and out of reach for others.
  if (!job_.rates.any_measured() || job_.rates.seconds(static_cast<double>(items), context_.index) > long_chunk_s) {
    question.launches = can_.launches_max;
    items = policy.next_items(question);
  }
  const auto work = static_cast<double>(items);
  if (!policy.adapts()) return job_.work.granules_in_front(from, work);
  return adapted_granules(from, job_.work.granules_in_front(from, std::min(work, cautious_work())));
}

/// No chunk is to have more, as long as what it would take is not known.
double Worker::cautious_work() const {
  if (!(cautious_work_ > 0)) return std::numeric_limits<double>::infinity();
  // In a Job that is about as short as a few launches, what they cost counts more than what chunks may turn out to.
  const bool is_known = job_.loop.is_new || context_.feedback.is_confirmed();
  const bool is_short = is_known && dealt_items_ <= 8 * hiding_items();
  return std::max(cautious_work_, static_cast<double>(is_short ? smallest_items() : filling_items_));
}

/// By where costs change, and by what fills the device, as far as chunks have shown it.
std::uint32_t Worker::adapted_granules(Interval from, std::uint32_t wanted) const {
  // Where costs change is known least: it is to be told apart.
  const std::uint32_t alike = job_.work.granules_alike(from);
  if (alike < wanted && job_.work.of({from.front, from.front + alike}) > static_cast<double>(smallest_items()) / 2) {
    wanted = alike;
  }
  if (!fills_unknown_) return wanted;
  // Two of different size tell what fills the device.
  if (!context_.feedback.least_items_per_second() && !running_.empty()) return std::min(from.size(), 2 * wanted);
  // Fewer would take as long. It is a guess: much of the Share is not staked on it.
  const std::uint64_t filling = std::min(job_.rates.filling_items(context_.index), dealt_items_ / 16);
  return std::max(wanted, std::min(from.size(), static_cast<std::uint32_t>(filling / job_.granules.granule_items())));
}

/// Less than half a granule: the thief is worth its while only if it is done with a whole one before the victim.
std::uint32_t Worker::granules_to_steal(const Victim& victim, double own_rate, double own_overhead) const {
  if (victim.failed) return victim.left.size();
  const double wanted = work_to_steal(victim, own_rate, own_overhead);
  if (!(wanted > 0)) return 0;
  const std::uint32_t granules = job_.work.granules_at_back(victim.left, wanted);
  if (granules > 0) return granules;
  const double last = job_.work.of({victim.left.back - 1, victim.left.back});
  return own_overhead + last / own_rate < victim.seconds_left() ? 1 : 0;
}

/// Those from whom something is worth taking; where there are very many, some of them, from the last victim on.
std::vector<Victim> Worker::look_at_victims(double own_rate, double own_overhead) const {
  constexpr std::size_t enough = 64;
  const std::int64_t now_ns = context_.clock.now_ns();
  const RateBoard& rates = job_.rates;
  const std::uint32_t count = job_.device_count();
  std::vector<Victim> victims;
  for (std::uint32_t step = 0; step < count && victims.size() < enough; ++step) {
    const std::uint32_t device = (last_victim_ + step) % count;
    const Interval left = job_.left.share(device).look();
    if (device == context_.index || left.empty()) continue;
    Victim victim;
    victim.device = device;
    victim.left = left;
    victim.work_left = job_.work.of(left);
    victim.work_per_second = rates.rate(device);
    victim.busy_seconds = rates.seconds_busy(device, now_ns);
    victim.distance = context_.nearness.distance(context_.index, device);
    victim.failed = rates.is_retired(device);
    if (granules_to_steal(victim, own_rate, own_overhead) > 0) victims.push_back(victim);
  }
  return victims;
}

/// Moves a part of the richest victim's Share into the own, empty one. False when nothing is worth taking.
bool Worker::steal() {
  const RateBoard& rates = job_.rates;
  // Before any rate is known, a device with something to do cannot tell whether it would be done sooner than the
  // victim.
  if (!running_.empty() && !rates.any_measured()) return false;
  const double own_rate = rates.rate(context_.index);
  const double own_overhead =
      overhead_seconds() / 2 + (running_.empty() ? 0 : rates.seconds_busy(context_.index, context_.clock.now_ns()));
  for (;;) {
    const auto victim = choose_victim(look_at_victims(own_rate, own_overhead));
    if (!victim) return false;
    const std::uint32_t wanted = granules_to_steal(*victim, own_rate, own_overhead);
    const Steal steal = job_.left.share(victim->device).steal_back(victim->left, wanted);
    if (steal.outcome != StealOutcome::taken) continue;
    last_victim_ = victim->device;
    // Somebody is late, or was: what lies here may be dear.
    constexpr std::int64_t slack_ns = 20'000;
    is_warned_ = job_.rates.any_dear() || job_.rates.is_overdue(victim->device, context_.clock.now_ns() - slack_ns);
    job_.left.share(context_.index).put(steal.interval);
    job_.ledger.change(context_.index, [&](DeviceReport& account) {
      account.steals += 1;
      account.stolen_items += job_.granules.items_in(steal.interval);
    });
    return true;
  }
}

void Worker::copy_late() {
  const auto piece = job_.late.take(context_.index, context_.clock.now_ns(), overhead_seconds());
  if (!piece) return;
  Launch launch;
  launch.granules = piece->granules;
  launch.items = job_.granules.items_in(piece->granules);
  launch.work = job_.work.of(piece->granules);
  launch.late = piece->late;
  launch.drop = piece->late->original().drop();
  Chunk chunk = job_.chunk(piece->granules, context_.index);
  if (const std::size_t bytes = piece->granules.size() * kernel_.partial_bytes(); bytes > 0) {
    try {
      launch.memory = context_.device.allocate(bytes);
    } catch (const std::exception&) {
      // A copy is no duty: without memory there is none.
      return piece->late->abandon();
    }
    chunk.partials = launch.memory.data.get();
  }
  static_cast<void>(start(std::move(launch), chunk));
}

/// A device that throws is one that refuses.
std::optional<Failure> Worker::launch(const Chunk& chunk, std::uint64_t number) {
  try {
    return context_.device.launch(kernel_, chunk, number);
  } catch (const std::exception& error) {
    return Failure{Failure::Kind::launch, error.what(), nullptr};
  } catch (...) {
    return Failure{Failure::Kind::launch, "it threw something that is not a std::exception", nullptr};
  }
}

bool Worker::start(Launch next, Chunk chunk) {
  constexpr std::int64_t slow_ns = 10'000'000;
  const std::int64_t now_ns = context_.clock.now_ns();
  const std::int64_t from_ns = running_.empty() ? now_ns : std::max(now_ns, running_.back().forecast_end_ns);
  const bool is_forecast = job_.rates.any_measured();
  next.forecast_end_ns = is_forecast ? forecast_from(from_ns, next.work) : from_ns;
  job_.rates.set_busy_until(context_.index, next.forecast_end_ns);
  running_.reserve(running_.size() + 1);
  if (!next.late) {
    next.flight = job_.late.begin(context_.index, next.granules, now_ns,
                                  is_forecast ? next.forecast_end_ns : Flight::no_forecast);
    if (next.flight == nullptr) return false;
    next.drop = next.flight->drop();
  } else if (job_.late.is_stopped()) {
    return false;
  }
  chunk.drop = next.drop;
  next.number = next_launch_number();
  next.begin_ns = now_ns;
  const std::uint64_t number = next.number;
  running_.push_back(std::move(next));
  publish_oldest();
  const auto failure = launch(chunk, number);
  const std::int64_t host_ns = context_.clock.now_ns() - now_ns;
  if (!can_.runs_in_poll) {
    running_.back().host_ns = host_ns;
    if (host_ns >= slow_ns) job_.ledger.change(context_.index, [](DeviceReport& account) { ++account.slow_calls; });
  }
  if (!failure) return true;
  const Launch failed = std::move(running_.back());
  running_.pop_back();
  fail(failed, *failure, {}, now_ns);
  return false;
}

}  // namespace skua
