// What the Workers of a Job have in common: what is left, and what is done.
#include <skua/job.hpp>

#include <algorithm>

#include <skua/input.hpp>
#include <skua/placement.hpp>

namespace skua {
namespace {

constexpr std::uint64_t partials_bytes_max = std::uint64_t{4} << 30;

std::uint32_t count_granules(const JobSpec& spec) {
  const std::uint64_t granules = spec.granules();
  const std::string what = "granule " + std::to_string(spec.granule_items) + ": ";
  if (granules > Share::granules_max) {
    throw InputError(what + std::to_string(spec.items) + " items give " + std::to_string(granules) +
                     " granules, at most 2147483648 are possible");
  }
  const std::uint64_t bytes = granules * spec.kernel->partial_bytes();
  if (bytes > partials_bytes_max) {
    throw InputError(what + "the results of " + std::to_string(granules) + " granules need " + std::to_string(bytes) +
                     " bytes, at most 4294967296 are allowed");
  }
  return static_cast<std::uint32_t>(granules);
}

}  // namespace

Job::Job(JobSpec spec) : spec_(std::move(spec)), granules_(count_granules(spec_)) {
  const std::vector<Interval> deal = place(granules_, spec_.placement);
  for (std::size_t device = 0; device < deal.size(); ++device) {
    Seat& seat = seats_.emplace_back();
    seat.share.put(deal[device]);
    seat.retired = !(spec_.placement[device] > 0);
  }
  const std::size_t bytes = granules_ * spec_.kernel->partial_bytes();
  if (bytes > 0) memory_ = spec_.allocate(bytes);
  if (granules_ == 0) over_ = true;
}

std::uint64_t Job::items_in(Interval granules) const noexcept {
  if (granules.empty()) return 0;
  const std::uint64_t begin = granules.front * spec_.granule_items;
  // The last granule may be short; comparing what is left avoids an end beyond 2^64.
  const std::uint64_t whole = std::uint64_t{granules.size()} * spec_.granule_items;
  return granules.back == granules_ ? spec_.items - begin : whole;
}

Chunk Job::chunk(Interval granules, std::uint32_t device) const noexcept {
  Chunk chunk;
  chunk.begin = granules.front * spec_.granule_items;
  chunk.end = chunk.begin + items_in(granules);
  chunk.granule = spec_.granule_items;
  chunk.device = device;
  if (memory_) chunk.partials = static_cast<std::byte*>(memory_.get()) + granules.front * spec_.kernel->partial_bytes();
  return chunk;
}

std::uint64_t Job::items_in_shares() const noexcept {
  std::uint64_t granules = 0;
  for (const Seat& seat : seats_) granules += seat.share.look().size();
  // The last granule may be short, and granules that move while we look may be seen twice.
  return granules >= granules_ ? spec_.items : granules * spec_.granule_items;
}

bool Job::any_rate_known() const noexcept {
  return std::any_of(seats_.begin(), seats_.end(),
                     [](const Seat& seat) { return seat.items_per_second.load(std::memory_order_relaxed) > 0; });
}

double Job::mean_guess_of_known() const noexcept {
  double rates = 0;
  double guesses = 0;
  for (const Seat& seat : seats_) {
    const double rate = seat.items_per_second.load(std::memory_order_relaxed);
    if (!(rate > 0)) continue;
    rates += rate;
    guesses += seat.rate_guess.load(std::memory_order_relaxed);
  }
  return guesses > 0 ? rates / guesses : 1;
}

double Job::rate(std::uint32_t device) const noexcept {
  const Seat& seat = seats_[device];
  const double measured = seat.items_per_second.load(std::memory_order_relaxed);
  return measured > 0 ? measured : seat.rate_guess.load(std::memory_order_relaxed) * mean_guess_of_known();
}

double Job::mean_rate() const noexcept {
  const double unit = mean_guess_of_known();
  double sum = 0;
  unsigned count = 0;
  for (const Seat& seat : seats_) {
    if (seat.retired.load(std::memory_order_relaxed)) continue;
    const double measured = seat.items_per_second.load(std::memory_order_relaxed);
    sum += measured > 0 ? measured : seat.rate_guess.load(std::memory_order_relaxed) * unit;
    ++count;
  }
  return count > 0 ? sum / count : 1;
}

std::optional<std::int64_t> Job::forecast_end_ns(std::int64_t now_ns) const noexcept {
  if (!any_rate_known()) return std::nullopt;
  std::int64_t busy_until_ns = now_ns;
  double rates = 0;
  for (std::uint32_t device = 0; device < device_count(); ++device) {
    if (seats_[device].retired.load(std::memory_order_relaxed)) continue;
    busy_until_ns = std::max(busy_until_ns, seats_[device].busy_until_ns.load(std::memory_order_relaxed));
    rates += rate(device);
  }
  const double seconds = rates > 0 ? static_cast<double>(items_in_shares()) / rates : 0;
  return busy_until_ns + static_cast<std::int64_t>(std::min(seconds, 1e9) * 1e9);
}

std::uint64_t Job::items_done() const noexcept {
  const std::uint64_t granules = completed_.load(std::memory_order_relaxed);
  return granules >= granules_ ? spec_.items : std::min(spec_.items, granules * spec_.granule_items);
}

void Job::count(std::uint32_t device, Interval granules, std::int64_t now_ns) {
  Seat& owner = seats_[device];
  {
    const std::lock_guard lock(owner.mutex);
    if (!owner.done.empty() && owner.done.back().back == granules.front) {
      owner.done.back().back = granules.back;
    } else {
      owner.done.push_back(granules);
    }
    owner.account.items += items_in(granules);
  }
  // The launch that is seen last need not be the one that ended last.
  std::int64_t latest_ns = latest_end_ns_.load(std::memory_order_relaxed);
  while (latest_ns < now_ns && !latest_end_ns_.compare_exchange_weak(latest_ns, now_ns, std::memory_order_relaxed)) {
  }
  const std::uint32_t before = completed_.fetch_add(granules.size(), std::memory_order_acq_rel);
  if (before + granules.size() == granules_) finish(latest_end_ns_.load(std::memory_order_relaxed));
}

void Job::count_copies(const std::shared_ptr<LateChunk>& late, std::int64_t now_ns) {
  const std::size_t bytes_each = spec_.kernel->partial_bytes();
  std::vector<std::pair<Interval, std::uint32_t>> runs;
  {
    const std::lock_guard lock(mutex_);
    late->for_each_piece([&](Interval granules, const LateChunk::Piece& piece) {
      runs.emplace_back(granules, piece.device);
      if (bytes_each == 0) return;
      const auto* first = static_cast<const std::byte*>(piece.memory.get());
      copies_.push_back({granules, first + (granules.front - piece.granules.front) * bytes_each});
      copies_memory_.push_back(piece.memory);
    });
  }
  for (const auto& [granules, device] : runs) count(device, granules, now_ns);
}

void Job::put_orphan(Interval granules) {
  {
    const std::lock_guard lock(mutex_);
    orphans_.push_back(granules);
    orphan_count_.fetch_add(1, std::memory_order_release);  // pairs with take_orphan's load
  }
  if (on_change) on_change();
}

Interval Job::take_orphan(std::uint32_t wanted) {
  if (orphan_count_.load(std::memory_order_acquire) == 0) return {};
  const std::lock_guard lock(mutex_);
  if (orphans_.empty()) return {};
  Interval& orphan = orphans_.back();
  // Policies know only of what lies in Shares, and may ask for next to nothing when those are empty.
  const std::uint32_t part = (orphan.size() - 1) / (4 * device_count()) + 1;
  const Interval taken{orphan.front, orphan.front + std::min(std::max(wanted, part), orphan.size())};
  orphan.front = taken.back;
  if (orphan.empty()) {
    orphans_.pop_back();
    orphan_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  return taken;
}

void Job::finish(std::int64_t now_ns) {
  std::int64_t unset = 0;
  end_ns_.compare_exchange_strong(unset, now_ns, std::memory_order_acq_rel);
  // Whatever still runs is a copy, or a late original that copies have replaced: it may end early.
  over_.store(true, std::memory_order_release);
  if (on_change) on_change();
}

void Job::freeze_all() {
  for (Seat& seat : seats_) {
    const std::lock_guard lock(seat.mutex);
    for (Flight& flight : seat.flights) {
      const auto seen = flight.look();
      if (seen && flight.freeze(*seen)) flight.interrupt();
    }
  }
}

void Job::stop(Stop why, std::int64_t now_ns, std::string message, std::exception_ptr exception) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped() == Stop::body_failed && why == Stop::body_failed) ++more_failures_;
    if (over() || stopped() != Stop::none) return;
    failure_message_ = std::move(message);
    failure_ = std::move(exception);
    stop_.store(why, std::memory_order_release);
    for (const auto& late : late_) late->original().interrupt();
  }
  freeze_all();
  finish(now_ns);
}

void Job::retire(std::uint32_t device, const std::string& why, std::int64_t now_ns) {
  Seat& seat = seats_[device];
  {
    const std::lock_guard lock(seat.mutex);
    seat.account.failed = true;
    seat.account.failure = why;
  }
  seat.retired.store(true, std::memory_order_release);
  if (!spec_.policy->steals()) {
    const Interval left = seat.share.take_front(Share::granules_max);
    if (!left.empty()) put_orphan(left);
  }
  const bool any_left = std::any_of(seats_.begin(), seats_.end(),
                                    [](const Seat& other) { return !other.retired.load(std::memory_order_acquire); });
  if (any_left) {
    if (on_change) on_change();
    return;
  }
  stop(Stop::no_device, now_ns, why);
}

}  // namespace skua
