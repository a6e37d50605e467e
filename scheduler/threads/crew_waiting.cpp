// How the caller waits for its Job: until it is over, and then until nothing of it runs any more.
#include <algorithm>

#include "crew.hpp"
#include "waiting.hpp"

namespace skua {

/// Spins while the Job has just begun or is about to end, and says for how long to sleep after that.
std::chrono::nanoseconds Scheduler::Crew::stay_awake(const JobRun& job, std::int64_t begin_ns) {
  const auto over = [&] { return job.is_over(); };
  const std::int64_t now_ns = state_->clock->now_ns();
  const std::int64_t end_ns = job.forecast_end_ns().value_or(begin_ns + warm_ns);
  if (end_ns - now_ns > warm_ns / 4) return std::chrono::nanoseconds((end_ns - now_ns) / 2);
  spin_until(over, std::max(end_ns, begin_ns) + warm_ns / 4, *state_->clock);
  return std::chrono::nanoseconds(warm_ns / 4);
}

void Scheduler::Crew::report_progress(JobRun& job, const JobOptions& options, std::int64_t begin_ns) {
  const std::int64_t now_ns = state_->clock->now_ns();
  if (!options.progress || now_ns < next_progress_ns_) return;
  next_progress_ns_ = now_ns + std::chrono::nanoseconds(options.progress_every).count();
  try {
    options.progress({job.items(), job.items_done(), static_cast<double>(now_ns - begin_ns) * 1e-9});
  } catch (...) {
    progress_failure_ = std::current_exception();
    job.stop(Stop::cancelled);
  }
}

void Scheduler::Crew::wait_until_over(const std::shared_ptr<JobRun>& job, const JobOptions& options,
                                      std::int64_t begin_ns) {
  constexpr std::chrono::milliseconds cancellation_every{10};
  // Devices without a Share come later: by then those with one may be done.
  constexpr std::chrono::microseconds rest_after{200};
  constexpr std::int64_t stopped_min_ns = 100'000'000;
  bool all_asked = job->all_dealt();
  next_progress_ns_ = begin_ns;
  std::int64_t patience_ns = std::chrono::nanoseconds(patience_).count();
  while (!job->is_over()) {
    const Parking::Ticket ticket = state_->caller.ticket();
    std::chrono::nanoseconds pause = std::chrono::seconds(1);
    if (state_->is_warm) pause = std::min(pause, stay_awake(*job, begin_ns));
    if (options.progress) pause = std::min<std::chrono::nanoseconds>(pause, options.progress_every);
    if (options.cancellation) pause = std::min<std::chrono::nanoseconds>(pause, cancellation_every);
    if (!all_asked) pause = std::min<std::chrono::nanoseconds>(pause, rest_after);
    const std::int64_t from_ns = state_->clock->now_ns();
    if (!job->is_over()) state_->caller.wait_until(ticket, std::chrono::steady_clock::now() + pause);
    // Time that this process was stopped does not count against a device.
    patience_ns += std::max<std::int64_t>(0, state_->clock->now_ns() - from_ns - 2 * pause.count() - stopped_min_ns);
    if (!std::exchange(all_asked, true) && !job->is_over()) offer(job, false);
    if (options.cancellation && options.cancellation->requested()) job->stop(Stop::cancelled);
    job->stop_if_hanging(patience_ns);
    report_progress(*job, options, begin_ns);
  }
}

/// What still runs is waited for: it may use what is the caller's. Time that this process was stopped does not count
/// against a device.
void Scheduler::Crew::wait_until_left(JobRun& job) {
  constexpr std::int64_t slice_ns = 100'000'000;
  {
    const std::lock_guard lock(state_->mutex);
    for (CrewState::Member& member : state_->members) {
      if (member.offered) member.has_a_part.store(false, std::memory_order_relaxed);
      member.offered.reset();
      member.is_offered.store(false, std::memory_order_relaxed);
    }
  }
  const auto nobody_inside = [&] { return state_->inside_count.load(std::memory_order_acquire) == 0; };
  if (state_->is_warm) spin_until(nobody_inside, state_->clock->now_ns() + warm_ns, *state_->clock);
  const std::int64_t begin_ns = state_->clock->now_ns();
  std::vector<std::int64_t> patience_ns(job.device_count(), 0);
  for (std::uint32_t i = 0; i < job.device_count(); ++i) {
    if (job.takes_part(i)) patience_ns[i] = job.deadline_ns(i, std::chrono::nanoseconds(patience_).count()) - begin_ns;
  }
  std::int64_t waited_ns = 0;
  for (;;) {
    const Parking::Ticket ticket = state_->caller.ticket();
    if (nobody_inside()) return;
    const std::int64_t from_ns = state_->clock->now_ns();
    state_->caller.wait_until(ticket, std::chrono::steady_clock::now() + std::chrono::nanoseconds(slice_ns));
    waited_ns += std::min(state_->clock->now_ns() - from_ns, 2 * slice_ns);
    give_up(job, patience_ns, waited_ns);
  }
}

/// A thread of the host that is inside a body is never given up.
void Scheduler::Crew::give_up(JobRun& job, const std::vector<std::int64_t>& patience_ns, std::int64_t waited_ns) {
  const std::lock_guard lock(state_->mutex);
  for (std::uint32_t i = 0; i < state_->members.size(); ++i) {
    CrewState::Member& member = state_->members[i];
    if (!member.inside || waited_ns < patience_ns[i] || state_->devices[i]->info().can.runs_in_poll) continue;
    job.give_up(i);
    member.given_up = std::move(member.inside);
    member.inside.reset();
    state_->inside_count.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace skua
