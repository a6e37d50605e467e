// What a Job says of itself when it has ended: the Report, the results of its granules, and whether each ran once.
#include <skua/job.hpp>

#include <algorithm>

namespace skua {

std::vector<Interval> Job::done() const {
  std::vector<Interval> all;
  for (const Seat& seat : seats_) {
    const std::lock_guard lock(seat.mutex);
    all.insert(all.end(), seat.done.begin(), seat.done.end());
  }
  std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.front < b.front; });
  return all;
}

std::string Job::check_exactly_once() const {
  std::uint32_t next = 0;
  for (const Interval& granules : done()) {
    if (granules.front != next) {
      return "granule " + std::to_string(std::min(next, granules.front)) +
             (granules.front > next ? " was not run" : " was counted twice");
    }
    next = granules.back;
  }
  return next == granules_ ? "" : "granule " + std::to_string(next) + " was not run";
}

std::string Job::failure_message() const {
  const std::lock_guard lock(mutex_);
  if (more_failures_ == 0) return failure_message_;
  return failure_message_ + " (and " + std::to_string(more_failures_) + " more)";
}

Report Job::report(std::int64_t begin_ns, std::int64_t left_ns) const {
  const std::int64_t last_ns = stopped() == Stop::none ? end_ns() : left_ns;
  Report report;
  report.job_name = spec_.name;
  report.items = spec_.items;
  report.granule_items = spec_.granule_items;
  report.policy = spec_.policy_name;
  report.makespan_s = granules_ == 0 ? 0 : static_cast<double>(last_ns - begin_ns) * 1e-9;
  report.cancelled = stopped() == Stop::cancelled;
  double rates = 0;
  for (const Seat& seat : seats_) {
    const std::lock_guard lock(seat.mutex);
    DeviceReport account = seat.account;
    account.idle_s = std::max(0.0, report.makespan_s - account.busy_s);
    const double rate = seat.items_per_second.load(std::memory_order_relaxed);
    if (rate > 0) account.items_per_second = rate;
    if (account.busy_s > 0) rates += static_cast<double>(account.items) / account.busy_s;
    report.items_done += account.items;
    if (account.slow_calls > 0) {
      report.notes.push_back("device " + account.name + ": " + std::to_string(account.slow_calls) +
                             " calls that should return at once took longer than 10 ms");
    }
    report.devices.push_back(std::move(account));
  }
  report.lower_bound_s = rates > 0 ? static_cast<double>(report.items_done) / rates : 0;
  std::uint32_t next = 0;
  const auto add_gap = [&](std::uint32_t front, std::uint32_t back) {
    const Chunk gap = chunk({front, back}, 0);
    if (front < back) report.not_done.push_back({gap.begin, gap.end});
  };
  for (const Interval& granules : done()) {
    add_gap(next, granules.front);
    next = std::max(next, granules.back);
  }
  add_gap(next, granules_);
  return report;
}

Partials Job::partials() const {
  Partials partials;
  partials.bytes_each = spec_.kernel->partial_bytes();
  if (partials.bytes_each == 0 || granules_ == 0) return partials;
  const std::lock_guard lock(mutex_);
  partials.memory = copies_memory_;
  partials.memory.push_back(memory_);
  std::vector<Partials::Piece> copies = copies_;
  const auto by_front = [](const Partials::Piece& a, const Partials::Piece& b) {
    return a.granules.front < b.granules.front;
  };
  std::sort(copies.begin(), copies.end(), by_front);
  const auto* own = static_cast<const std::byte*>(memory_.get());
  // Granules that copies completed have their results in the copies' memory; the original may still write to the Job's.
  for (const Interval& granules : done()) {
    std::uint32_t next = granules.front;
    const auto add_own = [&](std::uint32_t back) {
      if (next < back) partials.pieces.push_back({{next, back}, own + next * partials.bytes_each});
    };
    auto copy = std::lower_bound(copies.begin(), copies.end(), Partials::Piece{{next, next}, nullptr}, by_front);
    for (; copy != copies.end() && copy->granules.front < granules.back; ++copy) {
      add_own(copy->granules.front);
      partials.pieces.push_back(*copy);
      next = copy->granules.back;
    }
    add_own(granules.back);
  }
  return partials;
}

}  // namespace skua
