// One step of a Worker: what has ended, then new work.
#include "worker.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace skua {
namespace {

/// How long a device that finds nothing waits before it looks again, at least and at most. A look goes over all
/// devices, and all that are idle look: their number counts twice, and must not take the time of those who have
/// something to do.
std::int64_t least_idle_look_ns(std::uint32_t device_count) {
  constexpr double few_devices = 64;
  const double many = std::max(1.0, device_count / few_devices);
  return static_cast<std::int64_t>(20'000 * many * many);
}

std::int64_t most_idle_look_ns(std::uint32_t device_count) {
  return std::max<std::int64_t>(2'000'000, 4 * least_idle_look_ns(device_count));
}

}  // namespace

Worker::Worker(Context context)
    : context_(std::move(context)),
      job_(context_.job),
      kernel_(*job_.loop.kernel),
      can_(context_.device.info().can),
      stops_at_granules_(can_.stops_at_granules && kernel_.unit() == Kernel::Unit::granule),
      idle_look_min_ns_(least_idle_look_ns(job_.device_count())),
      idle_look_ns_(idle_look_min_ns_) {
  last_victim_ = context_.index;
  // Nobody could take what a device that is alone has begun.
  is_cautious_ = (job_.loop.is_new || job_.loop.is_doubted) && job_.device_count() > 1;
  dealt_items_ = job_.granules.items_in(job_.left.share(context_.index).look());
}

/// What the device is asked is asked by the thread that steps it: a GPU runtime makes a context on whichever GPU is the
/// calling thread's.
void Worker::begin() {
  const std::uint64_t granule = job_.granules.granule_items();
  // What fills a GPU with a program's own kernels only the program knows: an item may be a thread's work, or a block's.
  // On the host it is a core's.
  if (job_.loop.filling_items > 0) {
    filling_items_ = job_.loop.filling_items;
  } else if (kernel_.unit() == Kernel::Unit::granule) {
    filling_items_ = context_.device.filling_items(kernel_, granule);
  } else if (can_.runs_in_poll) {
    filling_items_ = can_.slots_max;
  } else {
    fills_unknown_ = true;
  }
  const auto occupancy = context_.device.occupancy(kernel_, granule);
  job_.ledger.change(context_.index, [&](DeviceReport& account) { account.occupancy = occupancy; });
}

/// Another process on the GPU lowers the forecasts before a chunk has shown it.
void Worker::look_at_load() {
  constexpr std::int64_t look_every_ns = 5'000'000;
  if (!context_.load) return;
  const std::int64_t now_ns = context_.clock.now_ns();
  if (now_ns - last_load_look_ns_ < look_every_ns) return;
  last_load_look_ns_ = now_ns;
  load_.see(context_.load());
  if (const auto occupancy = load_.own_occupancy()) {
    job_.ledger.change(context_.index, [&](DeviceReport& account) { account.occupancy = occupancy; });
  }
  const double change = load_.take_change();
  const double rate = job_.rates.measured(context_.index);
  if (change == 1 || !(rate > 0)) return;
  context_.feedback.scale(change);
  job_.rates.set_measured(context_.index, rate * change);
  for (Launch& launch : running_) {
    const double left_s = static_cast<double>(std::max<std::int64_t>(0, launch.forecast_end_ns - now_ns)) * 1e-9;
    launch.forecast_end_ns = moment_after(now_ns, left_s / change);
    if (!launch.late) launch.flight->forecast(launch.forecast_end_ns);
    job_.rates.set_busy_until(context_.index, launch.forecast_end_ns);
  }
  record(change < 1 ? "others came" : "others went", now_ns, now_ns, {});
}

/// What is dropped ends soon, whatever was forecast.
void Worker::look_at_drops() {
  for (Launch& launch : running_) {
    if (launch.is_dropped || !launch.drop.now()) continue;
    launch.is_dropped = true;
    launch.forecast_end_ns = context_.clock.now_ns();
  }
}

Step Worker::step(std::span<const Completion> ended, std::uint32_t free_launches) {
  if (!std::exchange(has_begun_, true)) begin();
  for (const Completion& completion : ended) collect(completion);
  look_at_load();
  const std::uint32_t free = free_launches + static_cast<std::uint32_t>(ended.size());
  if (!job_.rates.is_retired(context_.index) && !job_.is_over()) refill(free);
  return rest();
}

Step Worker::rest() {
  look_at_drops();
  publish_oldest();
  if (!running_.empty()) {
    idle_look_ns_ = idle_look_min_ns_;
    if (can_.runs_in_poll) return {Step::Wait::nothing, 0, 0};
    return {Step::Wait::completion, running_.front().forecast_end_ns, oldest_begin_ns()};
  }
  if (job_.rates.is_retired(context_.index) || job_.is_over()) return {Step::Wait::finished, 0, 0};
  last_end_ns_ = 0;
  const std::int64_t now_ns = context_.clock.now_ns();
  std::int64_t until_ns = now_ns + idle_look_ns_;
  if (const auto late_ns = job_.late.next_ns(context_.index, now_ns)) {
    until_ns = std::min(until_ns, std::max(*late_ns, now_ns + idle_look_min_ns_));
  }
  idle_look_ns_ = std::min(2 * idle_look_ns_, most_idle_look_ns(job_.device_count()));
  return {Step::Wait::work, until_ns, 0};
}

bool Worker::holds(std::uint64_t launch) const noexcept {
  return std::any_of(running_.begin(), running_.end(), [&](const Launch& held) { return held.number == launch; });
}

void Worker::publish_oldest() noexcept {
  const bool any = !running_.empty();
  const Interval granules = any ? running_.front().granules : Interval{};
  oldest_granules_.store((std::uint64_t{granules.front} << 32) | granules.back, std::memory_order_relaxed);
  oldest_begin_ns_.store(any ? oldest_begin_ns() : 0, std::memory_order_release);
  oldest_flight_.store(any ? running_.front().flight : nullptr, std::memory_order_relaxed);
  oldest_number_.store(any ? running_.front().number : 0, std::memory_order_release);
}

/// A look at the flight that is of a later launch than the number says finds no granules of that number.
std::uint64_t Worker::granules_not_counted() const noexcept {
  const std::uint64_t number = oldest_number_.load(std::memory_order_acquire);
  const Flight* const flight = oldest_flight_.load(std::memory_order_relaxed);
  if (flight == nullptr) return 0;
  const std::uint64_t done = context_.device.granules_done(number);
  return flight->is_decided() ? 0 : done;
}

/// What was launched behind another one began when that one ended.
std::int64_t Worker::oldest_begin_ns() const noexcept {
  return std::max(running_.front().begin_ns, last_end_ns_);
}

std::optional<Worker::Oldest> Worker::oldest() const noexcept {
  const std::int64_t begin_ns = oldest_begin_ns_.load(std::memory_order_acquire);
  if (begin_ns == 0) return std::nullopt;
  const std::uint64_t granules = oldest_granules_.load(std::memory_order_relaxed);
  return Oldest{{static_cast<std::uint32_t>(granules >> 32), static_cast<std::uint32_t>(granules)}, begin_ns};
}

void Worker::collect(const Completion& completion) {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const Launch& launch) { return launch.number == completion.launch; });
  if (found == running_.end()) return;
  const Launch launch = std::move(*found);
  running_.erase(found);
  const std::vector<Interval> run = run_whole(launch, completion);
  learn(completion, launch, run);
  if (completion.failure) {
    fail(launch, *completion.failure, run, completion.end_ns);
  } else {
    complete(launch, run, completion.end_ns);
  }
  last_end_ns_ = completion.end_ns;
  forecast_anew(completion.end_ns);
}

std::int64_t Worker::forecast_from(std::int64_t from_ns, double work) const noexcept {
  return moment_after(from_ns, std::min(job_.rates.seconds(work, context_.index), 1e9));
}

/// What runs began when the last launch ended: forecasts that were chained to that one's own would carry its error on.
void Worker::forecast_anew(std::int64_t end_ns) {
  if (!job_.rates.any_measured()) return;
  for (Launch& launch : running_) {
    end_ns = forecast_from(end_ns, launch.work);
    launch.forecast_end_ns = launch.is_dropped ? launch.forecast_end_ns : end_ns;
    if (!launch.late) launch.flight->forecast(end_ns);
  }
  job_.rates.set_busy_until(context_.index, end_ns);
}

void Worker::learn(const Completion& completion, const Launch& launch, const std::vector<Interval>& run) {
  const std::int64_t busy_ns = std::max<std::int64_t>(0, completion.end_ns - completion.begin_ns);
  job_.ledger.change(context_.index, [&](DeviceReport& account) {
    account.busy_s += static_cast<double>(std::max<std::int64_t>(0, busy_ns - completion.idle_ns)) * 1e-9;
    account.host_s -= static_cast<double>(completion.body_cpu_ns) * 1e-9;
    account.chunks += 1;
    account.last_end_s = static_cast<double>(completion.end_ns) * 1e-9;
    account.smallest_chunk_items = smallest_items();
    account.copies += launch.late ? 1 : 0;
  });
  // What a launch did that stopped where it was asked to is known to the granule; of one that was dropped it is not.
  if (!completion.failure && (completion.whole || was_asked_to_stop(launch))) {
    double work = 0;
    for (const Interval& granules : run) work += job_.work.of(granules);
    learn_size(launch, work, busy_ns);
    if (fills_unknown_ && completion.whole) {
      context_.feedback.look_for_filling(launch.items, busy_ns);
      job_.rates.set_filling_items(context_.index, context_.feedback.filling_items());
    }
    // What a launch costs is most of what a short chunk takes.
    const double busy_s = static_cast<double>(busy_ns) * 1e-9;
    const bool is_short =
        !can_.overlaps && std::max(busy_s, job_.rates.seconds(work, context_.index)) <= overhead_seconds() / 2;
    const bool loads_code = !context_.feedback.least_items_per_second();
    // A single device does not share.
    if (!is_short && !loads_code && job_.device_count() > 1) {
      const double rate = std::max(job_.rates.rate(context_.index), 1e-300);
      times_.set_overlap(can_.overlaps);
      times_.set_slack(overhead_seconds() + static_cast<double>(filling_items_) / rate);
      for (const Interval& granules : run) {
        const double here = job_.work.of(granules);
        times_.add({job_.work.point(granules.front), job_.work.point(granules.back),
                    here / static_cast<double>(job_.granules.items()), busy_s * here / work});
      }
    }
    if (!loads_code && !launch.late) {
      job_.rates.saw_granules(busy_s * job_.rates.rate(context_.index) / launch.granules.size());
    }
    context_.feedback.add_chunk(work, busy_ns);
    load_.rate_was_measured();
    job_.rates.set_measured(context_.index, context_.feedback.items_per_second().value_or(0));
  }
  if (!can_.runs_in_poll) context_.feedback.add_launch(launch.host_ns);
  // A launch that came after the end of the one before tells of the host's delay, not of the device.
  const bool in_time = launch.begin_ns < last_end_ns_ || can_.launches_max == 1;
  if (last_end_ns_ != 0 && in_time) context_.feedback.add_gap(completion.begin_ns - last_end_ns_);
  record_run(launch, completion, run);
}

std::vector<Interval> Worker::run_whole(const Launch& launch, const Completion& completion) {
  if (completion.whole && !completion.failure) return {launch.granules};
  std::vector<Interval> run;
  for (const GranuleRange& range : completion.done_before_drop) {
    const auto at = [&](std::uint64_t granule) { return launch.granules.front + static_cast<std::uint32_t>(granule); };
    run.push_back({at(range.first), at(range.last)});
  }
  return run;
}

void Worker::complete(const Launch& launch, const std::vector<Interval>& run, std::int64_t end_ns) {
  if (launch.late) {
    const std::size_t bytes_each = kernel_.partial_bytes();
    for (const Interval& granules : run) {
      const std::size_t at_bytes = (granules.front - launch.granules.front) * bytes_each;
      const bool won = launch.late->complete({granules, context_.index, launch.memory, at_bytes});
      if (won) job_.complete_copies(*launch.late, end_ns);
    }
    return;
  }
  const Flight::End how = launch.flight->finish();
  if (how == Flight::End::replaced) return;
  // Before the last is counted, so that the Job does not end without the rest. It was asked for that; copies may have
  // been begun since, as it took long to stop.
  if (!job_.is_over()) give_back_rest(launch, run);
  for (const Interval& granules : run) job_.complete(context_.index, granules, end_ns);
}

/// Others asked for what of a launch was not run yet.
void Worker::give_back_rest(const Launch& launch, const std::vector<Interval>& run) {
  std::vector<Interval> rest;
  std::uint32_t front = launch.granules.front;
  for (const Interval& granules : run) {
    if (front < granules.front) rest.push_back({front, granules.front});
    front = granules.back;
  }
  if (front < launch.granules.back) rest.push_back({front, launch.granules.back});
  // Whatever the policy, who asked is not to take all of it.
  if (rest.size() == 1 && rest.front().size() > 1) {
    const std::uint32_t middle = rest.front().front + rest.front().size() / 2;
    rest = {{rest.front().front, middle}, {middle, rest.front().back}};
  }
  for (const Interval& granules : rest) job_.give_back(granules);
}

/// By others, while the Job goes on.
bool Worker::was_asked_to_stop(const Launch& launch) const noexcept {
  return !launch.late && launch.flight->was_asked() && !job_.is_over();
}

void Worker::fail(const Launch& launch, const Failure& failure, const std::vector<Interval>& run, std::int64_t now_ns) {
  const std::uint64_t begin = job_.granules.range(launch.granules).begin;
  const std::string where = "device " + context_.device.info().name + ", items [" + std::to_string(begin) + ", " +
                            std::to_string(begin + launch.items) + "): " + failure.message;
  if (failure.kind == Failure::Kind::body) {
    // Stopping first keeps the failed chunk from being given to another device: of it only what was run whole counts.
    job_.stop(Stop::body_failed, now_ns, where, failure.exception);
    complete(launch, run, now_ns);
    if (launch.late) launch.late->abandon();
    return;
  }
  give_back(launch);
  if (failure.kind == Failure::Kind::lost) {
    for (const Launch& other : running_) give_back(other);
    running_.clear();
  }
  job_.retire(context_.index, where, now_ns);
}

/// What a failed launch leaves undone goes to others, unless somebody runs it already.
void Worker::give_back(const Launch& launch) {
  if (launch.late) {
    launch.late->abandon();
  } else if (launch.flight->finish() != Flight::End::replaced && !job_.is_over()) {
    job_.give_back(launch.granules);
  }
}

/// Only what was run: a chunk whose rest was given back appears as what it did.
void Worker::record_run(const Launch& launch, const Completion& completion, const std::vector<Interval>& run) {
  if (!context_.is_traced) return;
  std::uint64_t items = 0;
  for (const Interval& granules : run) items += job_.granules.items_in(granules);
  if (items == 0) return record("dropped", completion.begin_ns, completion.end_ns, {});
  const double ns_each = static_cast<double>(completion.end_ns - completion.begin_ns) / static_cast<double>(items);
  std::uint64_t before = 0;
  const auto moment = [&] { return completion.begin_ns + std::llround(ns_each * static_cast<double>(before)); };
  for (const Interval& granules : run) {
    const std::int64_t begin_ns = moment();
    before += job_.granules.items_in(granules);
    record(launch.late ? copy_event_name : chunk_event_name, begin_ns, moment(), granules);
  }
}

void Worker::record(const char* name, std::int64_t begin_ns, std::int64_t end_ns, Interval granules) {
  if (!context_.is_traced) return;
  const RateBoard& rates = job_.rates;
  trace_.push_back(chunk_event(name, context_.index, begin_ns, end_ns,
                               {.items = granules.empty() ? 0 : job_.granules.items_in(granules),
                                .first_item = granules.empty() ? 0 : job_.granules.range(granules).begin,
                                .items_per_second = rates.measured(context_.index),
                                .filling_items = filling_items_,
                                .hiding_items = hiding_items(),
                                .items_left = job_.left.items_in_shares(),
                                .weight = rates.rate(context_.index) / rates.mean_rate()}));
}

std::vector<TraceEvent> Worker::take_trace() {
  return std::exchange(trace_, {});
}

}  // namespace skua
