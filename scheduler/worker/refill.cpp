// Where a Worker's next chunk comes from: its own Share, what is nobody's, a steal, a late chunk; and how it starts.
#include <algorithm>
#include <atomic>

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
  std::uint64_t hiding = hiding_items();
  if (!context_.feedback.is_confirmed()) hiding = std::min(hiding, dealt_items_ / 4);
  return std::max<std::uint64_t>(std::max(filling_items_, hiding), 1);
}

double Worker::overhead_seconds() const {
  const std::optional<double> rate = context_.feedback.items_per_second();
  return rate ? static_cast<double>(hiding_items()) / *rate : 0;
}

void Worker::refill(std::uint32_t free_launches) {
  for (; free_launches > 0 && running_.size() < can_.launches_max; --free_launches) {
    const Interval granules = next_granules();
    if (granules.empty()) break;
    Launch launch;
    launch.granules = granules;
    launch.items = job_.granules.items_in(granules);
    if (!start(std::move(launch), job_.chunk(granules, context_.index))) return;
  }
  // A copy is a last resort, for a device that has nothing else to do.
  if (running_.empty() && free_launches > 0 && job_.loop.policy->steals()) copy_late();
}

Interval Worker::next_granules() {
  // What a thief takes lies in its own Share for a moment, open to others: it may have to steal again.
  constexpr int attempts_max = 8;
  Share& share = job_.left.share(context_.index);
  for (int attempt = 0; attempt < attempts_max && !job_.is_over(); ++attempt) {
    // To ask for a size costs a look at all devices.
    if (const std::uint32_t here = share.look().size(); here > 0) {
      const Interval own = share.take_front(here == 1 ? 1 : wanted_granules());
      if (!own.empty()) return own;
    }
    if (job_.left.any_orphan()) {
      const Interval orphan = job_.left.take_orphan(wanted_granules());
      if (!orphan.empty()) return orphan;
    }
    if (!job_.loop.policy->steals() || !steal()) break;
  }
  return {};
}

std::uint32_t Worker::wanted_granules() const {
  const Granules& granules = job_.granules;
  ChunkQuestion question;
  question.job_items = granules.items();
  question.devices = job_.device_count();
  question.items_left = job_.left.items_in_shares();
  question.share_items = granules.items_in(job_.left.share(context_.index).look());
  question.weight = job_.rates.rate(context_.index) / job_.rates.mean_rate();
  question.smallest_items = smallest_items();
  std::uint64_t items = job_.loop.policy->next_items(question);
  // What waits behind a chunk that turns out to be late is late with it, and out of reach for others.
  if (!job_.rates.any_measured() || job_.rates.seconds(items, context_.index) > long_chunk_s) {
    question.launches = can_.launches_max;
    items = job_.loop.policy->next_items(question);
  }
  const std::uint64_t each = granules.granule_items();
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(items / each + (items % each != 0 ? 1 : 0), 1, Granules::count_max));
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
    victim.granules_per_second = rates.rate(device) / static_cast<double>(job_.granules.granule_items());
    victim.busy_seconds = rates.seconds_busy(device, now_ns);
    victim.distance = context_.nearness.distance(context_.index, device);
    victim.failed = rates.is_retired(device);
    if (steal_size(victim, own_rate, own_overhead) > 0) victims.push_back(victim);
  }
  return victims;
}

/// Moves a part of the richest victim's Share into the own, empty one. False when nothing is worth taking.
bool Worker::steal() {
  const RateBoard& rates = job_.rates;
  // Before any rate is known, a device with something to do cannot tell whether it would be done sooner than the
  // victim.
  if (!running_.empty() && !rates.any_measured()) return false;
  const double own_rate = rates.rate(context_.index) / static_cast<double>(job_.granules.granule_items());
  const double own_overhead =
      overhead_seconds() / 2 + (running_.empty() ? 0 : rates.seconds_busy(context_.index, context_.clock.now_ns()));
  for (;;) {
    const auto victim = choose_victim(look_at_victims(own_rate, own_overhead));
    if (!victim) return false;
    const std::uint32_t wanted = steal_size(*victim, own_rate, own_overhead);
    const Steal steal = job_.left.share(victim->device).steal_back(victim->left, wanted);
    if (steal.outcome != StealOutcome::taken) continue;
    last_victim_ = victim->device;
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
  next.forecast_end_ns = is_forecast ? forecast_from(from_ns, next.items) : from_ns;
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
