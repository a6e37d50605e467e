// How the caller waits for its Job: until it is over, and then until nothing of it runs any more.
#include <algorithm>
#include <utility>

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
  next_progress_ns_ = now_ns + bounded(options.progress_every).count();
  // A look at what runs may miss what another look has seen.
  items_shown_ = std::max(items_shown_, job.items_done());
  try {
    options.progress({job.items(), items_shown_, static_cast<double>(now_ns - begin_ns) * 1e-9});
  } catch (...) {
    progress_failure_ = std::current_exception();
    job.stop(Stop::cancelled);
  }
}

/// Devices without a Share come later: when those with one are late, or, while nobody knows, when they may be done.
std::int64_t Scheduler::Crew::when_all_come(const JobRun& job, std::int64_t begin_ns) const {
  constexpr std::int64_t after_ns = 200'000;
  const std::int64_t forecast_ns = std::max(begin_ns, job.forecast_end_ns().value_or(begin_ns));
  return forecast_ns + (forecast_ns - begin_ns) / 4 + after_ns;
}

void Scheduler::Crew::wait_until_over(const std::shared_ptr<JobRun>& job, const JobOptions& options,
                                      std::int64_t begin_ns) {
  constexpr std::chrono::milliseconds cancellation_every{10};
  constexpr std::int64_t stopped_min_ns = 100'000'000;
  To whom = job->all_dealt() ? To::all : To::dealt;
  const std::int64_t all_come_ns = when_all_come(*job, begin_ns);
  bool is_behind = !earlier_.works().empty();
  std::int64_t behind_since_ns = begin_ns;
  next_progress_ns_ = begin_ns;
  items_shown_ = 0;
  std::int64_t patience_ns = bounded(patience_).count();
  while (!job->is_over()) {
    const Parking::Ticket ticket = state_->caller.ticket();
    std::chrono::nanoseconds pause = std::chrono::seconds(1);
    if (state_->is_warm) pause = std::min(pause, stay_awake(*job, begin_ns));
    if (options.progress) pause = std::min(pause, bounded(options.progress_every));
    if (options.cancellation) pause = std::min<std::chrono::nanoseconds>(pause, cancellation_every);
    if (is_behind) pause = std::min(pause, earlier_.pause(state_->clock->now_ns()));
    const std::int64_t from_ns = state_->clock->now_ns();
    if (whom == To::dealt)
      pause = std::min(pause, std::chrono::nanoseconds(std::max<std::int64_t>(all_come_ns - from_ns, 0)));
    if (!job->is_over()) state_->caller.wait_until(ticket, std::chrono::steady_clock::now() + pause);
    // Time that this process was stopped does not count against a device.
    patience_ns += std::max<std::int64_t>(0, state_->clock->now_ns() - from_ns - 2 * pause.count() - stopped_min_ns);
    const bool was_behind = is_behind;
    if (was_behind) {
      const std::int64_t now_ns = state_->clock->now_ns();
      is_behind = !earlier_.has_ended(now_ns);
      // Nothing of the Job runs yet.
      patience_ns += now_ns - std::exchange(behind_since_ns, now_ns);
    }
    const bool is_late = whom == To::dealt && state_->clock->now_ns() >= all_come_ns;
    if (is_late) whom = To::all;
    if ((is_late || was_behind != is_behind) && !job->is_over()) offer(job, whom);
    if (options.cancellation && options.cancellation->requested()) job->stop(Stop::cancelled);
    job->stop_if_hanging(patience_ns);
    report_progress(*job, options, begin_ns);
  }
}

/// What still runs is waited for: it may use what is the caller's. Time that this process was stopped does not count
/// against a device.
void Scheduler::Crew::wait_until_left(JobRun& job) {
  constexpr std::int64_t slice_ns = 100'000'000;
  std::vector<std::shared_ptr<const EarlierWork>> not_asked_for;
  {
    const std::lock_guard lock(state_->mutex);
    not_asked_for.swap(state_->earlier);
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
    if (job.takes_part(i)) patience_ns[i] = job.deadline_ns(i, bounded(patience_).count()) - begin_ns;
  }
  std::int64_t waited_ns = 0;
  for (;;) {
    const Parking::Ticket ticket = state_->caller.ticket();
    if (nobody_inside()) return;
    const std::int64_t from_ns = state_->clock->now_ns();
    state_->caller.wait_until(ticket, std::chrono::steady_clock::now() + std::chrono::nanoseconds(slice_ns));
    if (!earlier_.has_ended(state_->clock->now_ns())) continue;
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
