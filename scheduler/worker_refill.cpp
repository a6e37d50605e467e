// Where a Worker's next chunk comes from: its own Share, what failed devices gave back, a steal, a late chunk.
#include <skua/worker.hpp>

#include <algorithm>
#include <cstdlib>

namespace skua {
namespace {

// Two launches where one would do cost some 10 us: a half percent of such a chunk.
constexpr std::int64_t long_chunk_ns = 2'000'000;

}  // namespace

std::uint64_t Worker::hiding_items() const {
  return context_.feedback.hiding_items(context_.device.info().launches_max);
}

double Worker::overhead_seconds() const {
  const std::optional<double> rate = context_.feedback.items_per_second();
  return rate ? static_cast<double>(hiding_items()) / *rate : 0;
}

void Worker::refill() {
  while (running_.size() < context_.device.info().launches_max) {
    const Interval granules = next_granules();
    if (granules.empty()) break;
    Launch launch;
    launch.granules = granules;
    launch.items = job_.items_in(granules);
    launch.flight = &free_flight();
    Chunk chunk = job_.chunk(granules, context_.device_index);
    chunk.dropped = launch.flight->dropped();
    if (!start(std::move(launch), chunk)) return;
  }
  // A copy is a last resort, for a device that has nothing else to do.
  if (running_.empty() && job_.spec().policy->steals()) copy_late();
}

Interval Worker::next_granules() {
  // What a thief takes lies in its own Share for a moment, open to others: it may have to steal again.
  constexpr int attempts_max = 8;
  for (int attempt = 0; attempt < attempts_max && !job_.over(); ++attempt) {
    const Interval own = seat_.share.take_front(wanted_granules());
    if (!own.empty()) return own;
    const Interval orphan = job_.take_orphan(wanted_granules());
    if (!orphan.empty()) return orphan;
    if (!job_.spec().policy->steals() || !steal()) break;
  }
  return {};
}

std::uint32_t Worker::wanted_granules() const {
  const JobSpec& spec = job_.spec();
  ChunkQuestion question;
  question.job_items = spec.items;
  question.devices = job_.device_count();
  question.items_left = job_.items_in_shares();
  question.share_items = job_.items_in(seat_.share.look());
  question.weight = job_.rate(context_.device_index) / job_.mean_rate();
  question.smallest_items = smallest_items();
  std::uint64_t items = spec.policy->next_items(question);
  // What waits behind a chunk that turns out to be late is late with it, and out of reach for others.
  if (!job_.any_rate_known() || forecast_ns(items) > long_chunk_ns) {
    question.launches = context_.device.info().launches_max;
    items = spec.policy->next_items(question);
  }
  const std::uint64_t granules = items / spec.granule_items + (items % spec.granule_items != 0 ? 1 : 0);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(granules, 1, Share::granules_max));
}

/// Until the device is thought to turn to something new: up to its forecast or, when late, as long again as it is late.
/// So even a single granule is taken from a device that never comes back.
double Worker::seconds_busy(const Seat& seat, std::int64_t now_ns) const {
  const std::int64_t until_ns = seat.busy_until_ns.load(std::memory_order_relaxed);
  return static_cast<double>(std::abs(until_ns - now_ns)) * 1e-9;
}

/// Those from whom something is worth taking.
std::vector<Victim> Worker::look_at_victims(double own_rate, double own_overhead) const {
  const std::int64_t now_ns = context_.clock.now_ns();
  std::vector<Victim> victims;
  for (std::uint32_t device = 0; device < job_.device_count(); ++device) {
    const Seat& seat = job_.seat(device);
    const Interval left = seat.share.look();
    if (device == context_.device_index || left.empty()) continue;
    Victim victim;
    victim.device = device;
    victim.left = left;
    victim.granules_per_second = job_.rate(device) / static_cast<double>(job_.spec().granule_items);
    victim.busy_seconds = seconds_busy(seat, now_ns);
    victim.distance = context_.distances[device];
    victim.failed = seat.retired.load(std::memory_order_relaxed);
    if (steal_size(victim, own_rate, own_overhead) > 0) victims.push_back(victim);
  }
  return victims;
}

/// Moves a part of the richest victim's Share into the own, empty one. False when nothing is worth taking.
bool Worker::steal() {
  // Before any rate is known, a device with something to do cannot tell whether it would be done sooner than the
  // victim.
  if (!running_.empty() && !job_.any_rate_known()) return false;
  const double own_rate = job_.rate(context_.device_index) / static_cast<double>(job_.spec().granule_items);
  const double own_overhead =
      overhead_seconds() / 2 + (running_.empty() ? 0 : seconds_busy(seat_, context_.clock.now_ns()));
  for (;;) {
    const auto victim = choose_victim(look_at_victims(own_rate, own_overhead));
    if (!victim) return false;
    const std::uint32_t wanted = steal_size(*victim, own_rate, own_overhead);
    const Steal steal = job_.seat(victim->device).share.steal_back(victim->left, wanted);
    if (steal.outcome != StealOutcome::taken) continue;
    seat_.share.put(steal.interval);
    const std::lock_guard lock(seat_.mutex);
    seat_.account.steals += 1;
    seat_.account.stolen_items += job_.items_in(steal.interval);
    return true;
  }
}

bool Worker::copy_late() {
  const auto piece = job_.take_late(context_.device_index, context_.clock.now_ns(), overhead_seconds());
  if (!piece) return false;
  Launch launch;
  launch.granules = piece->granules;
  launch.items = job_.items_in(piece->granules);
  launch.late = piece->late;
  Chunk chunk = job_.chunk(piece->granules, context_.device_index);
  chunk.dropped = piece->late->original().dropped();
  if (const std::size_t bytes = piece->granules.size() * kernel_.partial_bytes(); bytes > 0) {
    launch.memory = context_.device.allocate(bytes);
    chunk.partials = launch.memory.get();
  }
  return start(std::move(launch), chunk);
}

}  // namespace skua
