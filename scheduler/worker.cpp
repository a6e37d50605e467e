// One step of a Worker: completions first, then new work.
#include <skua/worker.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

namespace skua {
namespace {

constexpr std::int64_t idle_look_min_ns = 20'000;
constexpr std::int64_t idle_look_max_ns = 2'000'000;

/// Never the same twice: what a device given up in one Job may yet complete is no launch of the next.
std::uint64_t next_launch_number() {
  static std::atomic<std::uint64_t> numbers{0};
  return numbers.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Worker::Worker(Context context)
    : context_(std::move(context)),
      job_(*context_.job),
      seat_(job_.seat(context_.device_index)),
      kernel_(*job_.spec().kernel),
      idle_look_ns_(idle_look_min_ns) {
  context_.feedback.begin_job();
  seat_.rate_guess.store(context_.device.info().rate_guess, std::memory_order_relaxed);
  seat_.items_per_second.store(context_.feedback.items_per_second().value_or(0), std::memory_order_relaxed);
  const std::uint64_t granule = job_.spec().granule_items;
  filling_items_ = context_.device.filling_items(kernel_, granule);
  const std::lock_guard lock(seat_.mutex);
  seat_.account.occupancy = context_.device.occupancy(kernel_, granule);
}

std::uint64_t Worker::smallest_items() const {
  return std::max(filling_items_, hiding_items());
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
    const std::lock_guard lock(seat_.mutex);
    seat_.account.occupancy = occupancy;
  }
  const double change = load_.take_change();
  const double rate = seat_.items_per_second.load(std::memory_order_relaxed);
  if (change == 1 || !(rate > 0)) return;
  context_.feedback.scale(change);
  seat_.items_per_second.store(rate * change, std::memory_order_relaxed);
  for (Launch& launch : running_) {
    const double left_ns = static_cast<double>(std::max<std::int64_t>(0, launch.forecast_end_ns - now_ns));
    launch.forecast_end_ns = now_ns + static_cast<std::int64_t>(left_ns / change);
    if (!launch.late) launch.flight->forecast(launch.forecast_end_ns);
    seat_.busy_until_ns.store(launch.forecast_end_ns, std::memory_order_relaxed);
  }
  record(change < 1 ? "others came" : "others went", now_ns, now_ns, {});
}

Step Worker::step() {
  collect();
  look_at_load();
  const bool retired = seat_.retired.load(std::memory_order_relaxed);
  if (!retired && !job_.over()) refill();
  if (!running_.empty()) {
    idle_look_ns_ = idle_look_min_ns;
    if (context_.device.info().runs_in_poll) return {Step::Wait::nothing, 0};
    return {Step::Wait::completion, running_.front().forecast_end_ns};
  }
  if (retired || job_.over()) return {Step::Wait::finished, 0};
  last_end_ns_ = 0;
  const std::int64_t now_ns = context_.clock.now_ns();
  std::int64_t until_ns = now_ns + idle_look_ns_;
  if (const auto late_ns = job_.next_late_ns(context_.device_index, now_ns)) {
    until_ns = std::min(until_ns, std::max(*late_ns, now_ns + idle_look_min_ns));
  }
  idle_look_ns_ = std::min(2 * idle_look_ns_, idle_look_max_ns);
  return {Step::Wait::work, until_ns};
}

void Worker::collect() {
  // One at a time: a device that runs on by itself is given new work before it is asked for more.
  bool collected = false;
  while (!running_.empty() && !collected) {
    const std::int64_t asked_ns = context_.clock.now_ns();
    auto completion = context_.device.poll();
    watch_call(asked_ns);
    if (!completion) return;
    collected = true;
    const auto found = std::find_if(running_.begin(), running_.end(),
                                    [&](const Launch& launch) { return launch.number == completion->launch; });
    if (found == running_.end()) {
      collected = false;
      continue;
    }
    Launch launch = std::move(*found);
    running_.erase(found);
    learn(*completion, launch);
    if (completion->failure) {
      fail(launch, *completion->failure, completion->end_ns);
    } else {
      complete(launch, *completion);
    }
    last_end_ns_ = completion->end_ns;
    forecast_from(completion->end_ns);
  }
}

/// Drivers that say they never block sometimes do.
void Worker::watch_call(std::int64_t begin_ns) {
  constexpr std::int64_t slow_ns = 10'000'000;
  if (context_.device.info().runs_in_poll || context_.clock.now_ns() - begin_ns < slow_ns) return;
  const std::lock_guard lock(seat_.mutex);
  seat_.account.slow_calls += 1;
}

std::int64_t Worker::forecast_ns(std::uint64_t items) const {
  const double seconds = static_cast<double>(items) / job_.rate(context_.device_index);
  return static_cast<std::int64_t>(std::min(seconds, 1e9) * 1e9);
}

/// What runs began when the last launch ended: forecasts that were chained to that one's own would carry its error on.
void Worker::forecast_from(std::int64_t end_ns) {
  if (!job_.any_rate_known()) return;
  for (Launch& launch : running_) {
    end_ns += forecast_ns(launch.items);
    launch.forecast_end_ns = end_ns;
    if (!launch.late) launch.flight->forecast(end_ns);
  }
  seat_.busy_until_ns.store(end_ns, std::memory_order_relaxed);
}

void Worker::learn(const Completion& completion, const Launch& launch) {
  const std::int64_t busy_ns = completion.end_ns - completion.begin_ns;
  // What a launch that nobody waits for any more runs after the Job's end is no part of its makespan.
  const bool ended = job_.over() && job_.stopped() == Stop::none;
  const std::int64_t counted_end_ns = ended ? std::min(completion.end_ns, job_.end_ns()) : completion.end_ns;
  {
    const std::lock_guard lock(seat_.mutex);
    seat_.account.busy_s += static_cast<double>(std::max<std::int64_t>(0, counted_end_ns - completion.begin_ns)) * 1e-9;
    seat_.account.host_s -= static_cast<double>(completion.body_cpu_ns) * 1e-9;
    seat_.account.chunks += 1;
    seat_.account.smallest_chunk_items = smallest_items();
    seat_.account.copies += launch.late ? 1 : 0;
  }
  // A launch that was dropped may have ended early, and says nothing of the rate.
  const bool dropped = launch.late ? launch.late->original().settled() : launch.flight->settled();
  if (!completion.failure && !dropped) {
    context_.feedback.add_chunk(launch.items, busy_ns);
    load_.rate_was_measured();
    seat_.items_per_second.store(context_.feedback.items_per_second().value_or(0), std::memory_order_relaxed);
  }
  if (!context_.device.info().runs_in_poll) context_.feedback.add_launch(launch.host_ns);
  // A launch that came after the end of the one before tells of the host's delay, not of the device.
  const bool in_time = launch.begin_ns < last_end_ns_ || context_.device.info().launches_max == 1;
  if (last_end_ns_ != 0 && in_time) context_.feedback.add_gap(completion.begin_ns - last_end_ns_);
  record(launch.late ? "copy" : "chunk", completion.begin_ns, completion.end_ns, launch);
}

void Worker::complete(Launch& launch, const Completion& completion) {
  if (launch.late) {
    if (launch.late->complete({launch.granules, context_.device_index, launch.memory})) {
      job_.count_copies(launch.late, completion.end_ns);
    }
    return;
  }
  if (launch.flight->finish()) return job_.count(context_.device_index, launch.granules, completion.end_ns);
  if (!launch.flight->interrupted()) return;
  for (const GranuleRange& range : completion.done_before_drop) {
    const auto at = [&](std::uint64_t granule) { return launch.granules.front + static_cast<std::uint32_t>(granule); };
    job_.count(context_.device_index, {at(range.first), at(range.last)}, completion.end_ns);
  }
}

void Worker::fail(Launch& launch, const Failure& failure, std::int64_t now_ns) {
  const std::string& device = context_.device.info().name;
  const std::uint64_t begin = launch.granules.front * job_.spec().granule_items;
  const std::string where = "device " + device + ", items [" + std::to_string(begin) + ", " +
                            std::to_string(begin + launch.items) + "): " + failure.message;
  if (failure.kind == Failure::Kind::body) {
    // Stopping first keeps the failed chunk from being counted, or given to another device.
    job_.stop(Stop::body_failed, now_ns, where, failure.exception);
    give_back(launch);
    return;
  }
  give_back(launch);
  if (failure.kind == Failure::Kind::lost) {
    for (Launch& other : running_) give_back(other);
    running_.clear();
  }
  job_.retire(context_.device_index, where, now_ns);
}

/// What a failed launch leaves undone goes to others, unless somebody runs it already.
void Worker::give_back(Launch& launch) {
  if (launch.late) {
    launch.late->abandon();
  } else if (launch.flight->finish() && !job_.over()) {
    job_.put_orphan(launch.granules);
  }
}

Flight& Worker::free_flight() {
  for (Flight& flight : seat_.flights) {
    const bool in_use =
        std::any_of(running_.begin(), running_.end(), [&](const Launch& launch) { return launch.flight == &flight; });
    if (!in_use && flight.reusable()) return flight;
  }
  const std::lock_guard lock(seat_.mutex);
  return seat_.flights.emplace_back();
}

bool Worker::start(Launch launch, const Chunk& chunk) {
  const std::int64_t now_ns = context_.clock.now_ns();
  const std::int64_t from_ns = running_.empty() ? now_ns : std::max(now_ns, running_.back().forecast_end_ns);
  const bool forecast = job_.any_rate_known();
  launch.forecast_end_ns = from_ns + (forecast ? forecast_ns(launch.items) : 0);
  seat_.busy_until_ns.store(launch.forecast_end_ns, std::memory_order_relaxed);
  {
    // Who stops the Job looks at flights under this mutex: either that flight is seen, or the end is seen here.
    const std::lock_guard lock(seat_.mutex);
    if (job_.stopped() != Stop::none) return false;
    const std::int64_t forecast_end_ns = forecast ? launch.forecast_end_ns : Flight::no_forecast;
    if (!launch.late) launch.flight->start(launch.granules, now_ns, forecast_end_ns);
  }
  const std::uint64_t number = next_launch_number();
  launch.number = number;
  launch.begin_ns = now_ns;
  running_.push_back(std::move(launch));
  const auto failure = context_.device.launch(kernel_, chunk, number);
  watch_call(now_ns);
  if (!context_.device.info().runs_in_poll) running_.back().host_ns = context_.clock.now_ns() - now_ns;
  if (!failure) return true;
  Launch failed = std::move(running_.back());
  running_.pop_back();
  fail(failed, *failure, now_ns);
  return false;
}

void Worker::record(const char* name, std::int64_t begin_ns, std::int64_t end_ns, const Launch& launch) {
  if (!context_.traced) return;
  trace_.push_back({name,
                    context_.device_index,
                    begin_ns,
                    end_ns,
                    {{"items", static_cast<double>(launch.items)},
                     {"first_item", static_cast<double>(launch.granules.front * job_.spec().granule_items)},
                     {"items_per_second", seat_.items_per_second.load(std::memory_order_relaxed)},
                     {"filling_items", static_cast<double>(filling_items_)},
                     {"hiding_items", static_cast<double>(hiding_items())},
                     {"items_left", static_cast<double>(job_.items_in_shares())},
                     {"weight", job_.rate(context_.device_index) / job_.mean_rate()}}});
}

std::vector<TraceEvent> Worker::take_trace() {
  return std::exchange(trace_, {});
}

}  // namespace skua
