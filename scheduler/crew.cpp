// Threads, and one Job after another.
#include "crew.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <skua/input.hpp>
#include <skua/thread.hpp>

#include "distances.hpp"
#include "waiting.hpp"

namespace skua {
namespace {

bool was_given_up(CrewState& state, std::uint32_t index) {
  const std::lock_guard lock(state.mutex);
  return state.members[index].given_up;
}

/// One Worker's part of one Job, on its thread. False when the device still holds a launch that nobody waits for any
/// more: it can take no other.
bool run_job(CrewState& state, const std::shared_ptr<Job>& job, std::uint32_t index, Feedback& feedback) {
  Device& device = *state.devices[index];
  const std::int64_t cpu_begin_ns = this_thread_cpu_ns();
  Waiting waiting(state.parking, state.clock);
  try {
    Worker worker({job, index, device, state.clock, feedback, state.distances[index], state.trace != nullptr});
    for (;;) {
      const Parking::Ticket ticket = state.parking.ticket();
      const Step step = worker.step();
      if (step.wait == Step::Wait::finished) break;
      if (step.wait == Step::Wait::completion && job->over() && was_given_up(state, index)) return false;
      waiting.wait(step, ticket);
    }
    if (state.trace) state.trace->add(worker.take_trace());
  } catch (const std::exception& error) {
    job->stop(Stop::body_failed, state.clock.now_ns(), "device " + device.info().name + ": " + error.what(),
              std::current_exception());
  }
  Seat& seat = job->seat(index);
  const std::lock_guard lock(seat.mutex);
  seat.account.host_s =
      std::max(0.0, seat.account.host_s + static_cast<double>(this_thread_cpu_ns() - cpu_begin_ns) * 1e-9);
  return true;
}

void work(const std::shared_ptr<CrewState>& state, std::uint32_t index) {
  name_this_thread("skua-" + state->devices[index]->info().name);
  std::vector<std::string> notes = state->devices[index]->attach();
  std::uint64_t last_job = 0;
  for (;;) {
    const Parking::Ticket ticket = state->parking.ticket();
    std::shared_ptr<Job> job;
    Feedback* feedback = nullptr;
    {
      const std::lock_guard lock(state->mutex);
      if (!notes.empty()) state->members[index].notes = std::exchange(notes, {});
      if (state->stopping) return;
      if (state->job && state->job_number != last_job && state->members[index].inside) {
        job = state->job;
        feedback = state->feedback.at(job->spec().name)[index].get();
      }
      last_job = state->job_number;
    }
    if (!job) {
      state->parking.wait(ticket);
      continue;
    }
    if (!run_job(*state, job, index, *feedback)) return;
    job.reset();
    {
      const std::lock_guard lock(state->mutex);
      state->members[index].inside = false;
      state->members[index].given_up = false;
    }
    state->changed.notify_all();
  }
}

}  // namespace

Scheduler::Crew::Crew(std::unique_ptr<CrewState> state, const SchedulerOptions& options)
    : state_(std::move(state)), patience_(options.patience) {
  CrewState& shared = *state_;
  shared.distances = device_distances(shared.devices, shared.topology);
  shared.members.resize(shared.devices.size());
  const std::string trace = options.trace.empty() ? environment_variable("SKUA_TRACE").value_or("") : options.trace;
  if (!trace.empty()) shared.trace = std::make_unique<Trace>(trace);
  for (std::uint32_t index = 0; index < shared.devices.size(); ++index) {
    if (shared.trace) shared.trace->name_track(index, shared.devices[index]->info().name);
    threads_.emplace_back(work, state_, index);
  }
}

Scheduler::Crew::~Crew() {
  const std::lock_guard run_lock(one_job_);
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->parking.notify_all();
  for (std::size_t index = 0; index < threads_.size(); ++index) {
    std::unique_lock lock(state_->mutex);
    const bool given_up = state_->members[index].given_up;
    lock.unlock();
    // A thread that its device holds may never come back; it keeps what it needs alive.
    given_up ? threads_[index].detach() : threads_[index].join();
  }
  if (state_->trace) state_->trace->flush();
}

std::vector<Feedback*> Scheduler::Crew::feedback_of(const std::string& name) {
  const std::lock_guard lock(state_->mutex);
  auto& list = state_->feedback[name];
  while (list.size() < state_->devices.size()) list.push_back(std::make_unique<Feedback>());
  std::vector<Feedback*> feedback;
  for (const auto& one : list) feedback.push_back(one.get());
  return feedback;
}

std::shared_ptr<Job> Scheduler::Crew::make_job(std::uint64_t items, std::shared_ptr<const Kernel> kernel,
                                               const JobOptions& options) {
  JobSpec spec;
  spec.name = options.name;
  spec.items = items;
  spec.granule_items = options.granule_items != 0 ? options.granule_items : default_granule_items(items);
  if (items > 0 && spec.granule_items > items) {
    throw InputError("granule " + std::to_string(spec.granule_items) + ": larger than the loop's " +
                     std::to_string(items) + " items");
  }
  spec.kernel = std::move(kernel);
  spec.policy = make_chunk_policy(options.policy);
  spec.policy_name = options.policy;
  spec.repeatable = options.repeat == Repeat::allowed;
  spec.allocate = [this](std::size_t bytes) { return state_->devices.front()->allocate(bytes); };
  const std::vector<Feedback*> feedback = feedback_of(options.name);
  // Guesses stand in for all rates until every device has one: they are not of one unit.
  bool all_known = true;
  std::vector<double> rates;
  std::unique_lock lock(state_->mutex);
  for (std::size_t i = 0; i < feedback.size(); ++i) {
    const bool given_up = state_->members[i].given_up;
    const auto rate = given_up ? std::nullopt : feedback[i]->items_per_second();
    all_known = all_known && (given_up || rate);
    rates.push_back(rate.value_or(0));
  }
  for (std::size_t i = 0; i < feedback.size(); ++i) {
    const double guess = state_->devices[i]->info().rate_guess;
    const double weight = options.placement == Placement::even ? 1 : all_known ? rates[i] : guess;
    spec.placement.push_back(state_->members[i].given_up ? 0 : weight);
  }
  lock.unlock();
  if (std::all_of(spec.placement.begin(), spec.placement.end(), [](double weight) { return weight == 0; })) {
    throw DeviceError("no device is left: all were given up by earlier Jobs");
  }
  auto job = std::make_shared<Job>(std::move(spec));
  for (std::uint32_t i = 0; i < job->device_count(); ++i) {
    job->seat(i).account.name = state_->devices[i]->info().name;
    job->seat(i).busy_until_ns = state_->clock.now_ns();
    job->seat(i).rate_guess = state_->devices[i]->info().rate_guess;
  }
  job->on_change = [state = state_.get()] {
    { const std::lock_guard change(state->mutex); }
    state->changed.notify_all();
    state->parking.notify_all();
  };
  return job;
}

Report Scheduler::Crew::run(std::uint64_t items, std::shared_ptr<const Kernel> kernel, const JobOptions& options,
                            Partials* partials) {
  if (BodyScope::active()) {
    throw std::logic_error("a Job was started from inside a body of another Job; start it after that Job has ended");
  }
  const std::lock_guard run_lock(one_job_);
  const std::shared_ptr<Job> job = make_job(items, std::move(kernel), options);
  const std::int64_t begin_ns = state_->clock.now_ns();
  if (options.cancellation && options.cancellation->requested()) job->stop(Stop::cancelled, begin_ns);
  if (!job->over()) {
    {
      const std::lock_guard lock(state_->mutex);
      state_->job = job;
      ++state_->job_number;
      for (std::uint32_t i = 0; i < job->device_count(); ++i) state_->members[i].inside = !job->seat(i).retired;
    }
    state_->parking.notify_all();
    wait_until_over(*job, options, begin_ns);
  }
  Report report = job->report(begin_ns, state_->clock.now_ns());
  {
    const std::lock_guard lock(state_->mutex);
    for (const CrewState::Member& member : state_->members) {
      report.notes.insert(report.notes.end(), member.notes.begin(), member.notes.end());
    }
    state_->job.reset();
  }
  throw_failure(*job, report);
  if (job->stopped() == Stop::none) {
    if (const std::string wrong = job->check_exactly_once(); !wrong.empty()) {
      std::fprintf(stderr, "skua: internal error: %s\n", wrong.c_str());
      std::abort();
    }
  }
  if (partials != nullptr) *partials = job->partials();
  return report;
}

void Scheduler::Crew::wait_until_over(Job& job, const JobOptions& options, std::int64_t begin_ns) {
  constexpr std::chrono::milliseconds cancellation_every{10};
  std::exception_ptr progress_failure;
  std::int64_t next_progress_ns = begin_ns;
  while (!job.over()) {
    std::chrono::milliseconds pause{1000};
    if (options.progress) pause = std::min(pause, options.progress_every);
    if (options.cancellation) pause = std::min(pause, cancellation_every);
    {
      std::unique_lock lock(state_->mutex);
      state_->changed.wait_for(lock, pause, [&] { return job.over(); });
    }
    const std::int64_t now_ns = state_->clock.now_ns();
    if (options.cancellation && options.cancellation->requested()) job.stop(Stop::cancelled, now_ns);
    if (!options.progress || now_ns < next_progress_ns) continue;
    next_progress_ns = now_ns + std::chrono::nanoseconds(options.progress_every).count();
    try {
      options.progress({job.spec().items, job.items_done(), static_cast<double>(now_ns - begin_ns) * 1e-9});
    } catch (...) {
      progress_failure = std::current_exception();
      job.stop(Stop::cancelled, now_ns);
    }
  }
  wait_until_left(job);
  if (progress_failure) std::rethrow_exception(progress_failure);
}

void Scheduler::Crew::wait_until_left(Job& job) {
  std::unique_lock lock(state_->mutex);
  const auto all_left = [&] {
    return std::none_of(state_->members.begin(), state_->members.end(),
                        [](const CrewState::Member& member) { return member.inside && !member.given_up; });
  };
  if (state_->changed.wait_for(lock, patience_, all_left)) return;
  for (std::uint32_t i = 0; i < state_->members.size(); ++i) {
    CrewState::Member& member = state_->members[i];
    if (!member.inside || member.given_up) continue;
    member.given_up = true;
    const std::lock_guard seat_lock(job.seat(i).mutex);
    job.seat(i).account.failed = true;
    job.seat(i).account.failure = "did not come back from its last chunk; given up";
  }
}

void Scheduler::Crew::throw_failure(const Job& job, const Report& report) const {
  if (job.stopped() == Stop::body_failed) {
    try {
      std::rethrow_exception(job.failure());
    } catch (...) {
      std::throw_with_nested(BodyError(job.failure_message()));
    }
  }
  if (job.stopped() == Stop::no_device) {
    std::string message = "every device failed";
    for (const DeviceReport& device : report.devices) {
      if (device.failed) message += "; " + device.failure;
    }
    throw DeviceError(message);
  }
}

}  // namespace skua
