// What happens to a Job: granules are completed, devices go, it ends.
#include "job.hpp"

#include <algorithm>

namespace skua {
namespace {

template <class Field>
auto column(const std::vector<JobDevice>& devices, Field field) {
  std::vector<std::decay_t<decltype(devices.front().*field)>> values;
  for (const JobDevice& device : devices) values.push_back(device.*field);
  return values;
}

}  // namespace

Job::Job(JobParts parts, std::int64_t now_ns, JobListener& listener)
    : loop(std::move(parts.loop)),
      granules(loop.granules),
      work(granules, loop.costs),
      left(granules, column(parts.devices, &JobDevice::share), column(parts.devices, &JobDevice::word)),
      rates(column(parts.devices, &JobDevice::rated), now_ns),
      ledger(granules, column(parts.devices, &JobDevice::name)),
      late(granules, work, rates, loop.repeatable, column(parts.devices, &JobDevice::stops_at_granules)),
      results(loop.kernel->partial_bytes()),
      listener_(listener),
      granules_owned_(loop.own.size()),
      owned_{loop.own} {}

Chunk Job::chunk(Interval of, std::uint32_t device) const {
  const ItemRange range = granules.range(of);
  Chunk chunk;
  chunk.begin = range.begin;
  chunk.end = range.end;
  chunk.granule = granules.granule_items();
  chunk.device = device;
  chunk.partials = results.of(of.front);
  return chunk;
}

void Job::complete(std::uint32_t device, Interval of, std::int64_t end_ns) {
  ledger.count(device, of, end_ns);
  end_if_done(end_ns);
}

void Job::end_if_done(std::int64_t now_ns) {
  if (ledger.granules_counted() < granules_owned_.load(std::memory_order_acquire) || is_over() || !listener_.may_end())
    return;
  finish(std::max(ledger.latest_end_ns(), ledger.granules_counted() > 0 ? 0 : now_ns));
}

void Job::complete_copies(const LateChunk& late_chunk, std::int64_t end_ns) {
  const std::size_t bytes_each = results.bytes_each();
  std::vector<std::pair<Interval, std::uint32_t>> runs;
  late_chunk.for_each_piece([&](Interval of, const LateChunk::Piece& piece) {
    runs.emplace_back(of, piece.device);
    if (bytes_each == 0) return;
    const std::size_t at = piece.at_bytes + (of.front - piece.granules.front) * bytes_each;
    results.replace(of, piece.memory.at(at), piece.memory);
  });
  for (const auto& [of, device] : runs) complete(device, of, end_ns);
  // Its owner is to see that what it runs is not wanted any more.
  listener_.changed();
}

void Job::receive(Interval more, Memory results_memory) {
  if (results_memory) results.add(more, std::move(results_memory));
  {
    const Lock lock(mutex_);
    owned_.push_back(more);
  }
  granules_owned_.fetch_add(more.size(), std::memory_order_acq_rel);
  give_back(more);
}

void Job::give_back(Interval of) {
  left.put_orphan(of);
  listener_.changed();
}

void Job::finish(std::int64_t now_ns) {
  std::int64_t unset = 0;
  end_ns_.compare_exchange_strong(unset, now_ns, std::memory_order_acq_rel);
  // Whatever still runs is a copy, or a late original that copies have replaced.
  over_.store(true, std::memory_order_release);
  listener_.changed();
}

void Job::stop(Stop why, std::int64_t now_ns, std::string message, std::exception_ptr exception) {
  {
    const Lock lock(mutex_);
    if (stopped() == Stop::body_failed && why == Stop::body_failed) ++more_failures_;
    if (is_over() || stopped() != Stop::none) return;
    failure_message_ = std::move(message);
    failure_ = std::move(exception);
    stop_.store(why, std::memory_order_release);
  }
  late.stop();
  finish(now_ns);
}

void Job::retire(std::uint32_t device, const std::string& why, std::int64_t now_ns) {
  ledger.change(device, [&](DeviceReport& account) {
    account.failed = true;
    account.failure = why;
  });
  rates.retire(device);
  if (!loop.policy->steals()) {
    const Interval rest = left.share(device).take_front(static_cast<std::uint32_t>(Share::granules_max));
    if (!rest.empty()) left.put_orphan(rest);
  }
  if (rates.all_retired()) return stop(Stop::no_device, now_ns, why);
  listener_.changed();
}

std::vector<Interval> Job::owned() const {
  const Lock lock(mutex_);
  return owned_;
}

std::string Job::failure_message() const {
  const Lock lock(mutex_);
  if (more_failures_ == 0) return failure_message_;
  return failure_message_ + " (and " + std::to_string(more_failures_) + " more)";
}

std::exception_ptr Job::failure() const {
  const Lock lock(mutex_);
  return failure_;
}

}  // namespace skua
