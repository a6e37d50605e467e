// Starts and ends the threads, and runs one Job after another over them.
#include "crew.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>

#include <skua/input.hpp>
#include <system/keep_forever.hpp>

#include "device_thread.hpp"
#include "waiting.hpp"

namespace skua {
namespace {

/// In the words of who set it.
void check_policy(const std::string& policy) {
  try {
    make_chunk_policy(policy);
  } catch (const InputError& error) {
    throw InputError(std::string("JobOptions::") + error.what());
  }
}

}  // namespace

Scheduler::Crew::Crew(std::shared_ptr<CrewState> state, const SchedulerOptions& options)
    : state_(std::move(state)), patience_(options.patience) {
  const std::string trace = options.trace.empty() ? environment_variable("SKUA_TRACE").value_or("") : options.trace;
  if (!trace.empty()) state_->trace = std::make_unique<Trace>(trace);
  const auto count = static_cast<std::uint32_t>(state_->devices.size());
  threads_.reserve(count);
  try {
    for (std::uint32_t index = 0; index < count; ++index) start_thread(index);
  } catch (...) {
    stop_threads();
    throw;
  }
}

void Scheduler::Crew::start_thread(std::uint32_t index) {
  const std::string& name = state_->devices[index]->info().name;
  if (state_->trace) state_->trace->name_track(index, name);
  const auto refuse = [&](const char* why) {
    const std::size_t count = state_->devices.size();
    throw InputError("device " + name + ": the system gives no thread for it, the " + std::to_string(index + 1) +
                     "th of " + std::to_string(count) + " (" + why + "): ask for fewer devices");
  };
  try {
    threads_.push_back(start_device_thread(state_, index));
  } catch (const std::system_error& error) {
    refuse(error.what());
  } catch (const std::bad_alloc& error) {
    refuse(error.what());
  }
}

Scheduler::Crew::~Crew() {
  try {
    if (turns_.is_forked() || turns_.is_held_here() || BodyScope::active()) {
      leave_threads();
      return;
    }
    const Turns::Turn turn(turns_);
    stop_threads();
    if (state_->trace) state_->trace->flush();
  } catch (const std::logic_error&) {
    leave_threads();
  }
}

/// Its threads are not in this process, or cannot end before this one, on which a body or a callback, or a thread that
/// one of them started, has called exit(), say.
void Scheduler::Crew::leave_threads() noexcept {
  for (std::thread& thread : threads_) thread.detach();
  keep_forever(state_);
}

void Scheduler::Crew::stop_threads() noexcept {
  constexpr std::int64_t patience_ns = 1'000'000'000;
  state_->is_stopping = true;
  for (CrewState::Member& member : state_->members) member.parking.notify_all();
  const std::int64_t until_ns = state_->clock->now_ns() + patience_ns;
  for (std::size_t index = 0; index < threads_.size(); ++index) {
    const CrewState::Member& member = state_->members[index];
    // A thread that its device holds in a call may never come back; it keeps what it needs alive.
    const auto is_held = [&] {
      const std::lock_guard lock(state_->mutex);
      return member.given_up != nullptr && !member.has_ended;
    };
    while (is_held() && state_->clock->now_ns() < until_ns) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    is_held() ? threads_[index].detach() : threads_[index].join();
  }
}

std::shared_ptr<JobRun> Scheduler::Crew::make_job(std::uint64_t items, std::shared_ptr<const Kernel> kernel,
                                                  const JobOptions& options) {
  JobRequest request;
  request.name = options.name;
  request.items = items;
  request.granule_items = options.granule_items != 0 ? options.granule_items : default_granule_items(items);
  if (items > 0 && request.granule_items > items) {
    throw InputError("JobOptions::granule_items " + std::to_string(request.granule_items) +
                     ": larger than the loop's " + std::to_string(items) + " items");
  }
  request.kernel = std::move(kernel);
  request.policy = options.policy;
  check_policy(options.policy);
  request.repeatable = options.repeat == Repeat::allowed;
  request.placement = options.placement;
  DeviceSet devices{{}, state_->nearness, state_->trace != nullptr};
  {
    const std::lock_guard lock(state_->mutex);
    for (std::size_t i = 0; i < state_->devices.size(); ++i) {
      DeviceSet::Entry entry{*state_->devices[i], state_->members[i].given_up == nullptr, {}};
      if (const auto& address = state_->addresses[i]) {
        entry.load = [state = state_.get(), &address] { return state->sampler.latest(*address); };
      }
      devices.entries.push_back(std::move(entry));
    }
  }
  return std::make_shared<JobRun>(std::move(request), devices, state_->rates, *state_->clock, *state_);
}

/// Offers the Job to the devices that have a Share of it, or to the rest.
void Scheduler::Crew::offer(const std::shared_ptr<JobRun>& job, bool to_those_with_a_share) {
  std::vector<Parking*> asleep;
  {
    const std::lock_guard lock(state_->mutex);
    for (std::uint32_t i = 0; i < job->device_count(); ++i) {
      if (!job->takes_part(i) || job->was_dealt(i) != to_those_with_a_share) continue;
      state_->members[i].offered = job;
      state_->members[i].is_offered.store(true, std::memory_order_release);
      state_->members[i].has_a_part.store(true, std::memory_order_release);
      asleep.push_back(&state_->members[i].parking);
    }
  }
  // Where there are many devices and little to do, those that came first may be done before all are awake.
  for (Parking* const parking : asleep) {
    if (job->is_over()) break;
    parking->notify_all();
  }
}

Report Scheduler::Crew::run(std::uint64_t items, std::shared_ptr<const Kernel> kernel, const JobOptions& options,
                            Partials* partials) {
  turns_.refuse_where_nothing_runs();
  const std::int64_t begin_ns = state_->clock->now_ns();
  const Turns::Turn turn(turns_);
  const std::int64_t turn_ns = state_->clock->now_ns();
  const std::shared_ptr<JobRun> job = make_job(items, std::move(kernel), options);
  if (options.cancellation && options.cancellation->requested()) job->stop(Stop::cancelled);
  progress_failure_ = nullptr;
  if (!job->is_over()) {
    try {
      offer(job, true);
      wait_until_over(job, options, turn_ns);
    } catch (...) {
      job->stop(Stop::cancelled);
      wait_until_left(*job);
      throw;
    }
    wait_until_left(*job);
  }
  Report report = job->report(begin_ns, state_->clock->now_ns());
  constexpr double worth_a_note_s = 1e-3;
  if (const double waited_s = static_cast<double>(turn_ns - begin_ns) * 1e-9; waited_s > worth_a_note_s) {
    report.notes.push_back("waited " + std::to_string(waited_s) + " s for Jobs of other threads before it began");
  }
  add_notes(report);
  // That something hangs is more than that a callback threw: the caller must not free anything.
  if (progress_failure_ && !job->has_given_up()) std::rethrow_exception(std::exchange(progress_failure_, nullptr));
  job->throw_failure(report);
  if (job->stopped() == Stop::none) {
    if (const std::string wrong = job->check_exactly_once(); !wrong.empty()) {
      std::fprintf(stderr, "skua: internal error: %s\n", wrong.c_str());
      std::abort();
    }
  }
  if (partials != nullptr) *partials = job->partials();
  return report;
}

void Scheduler::Crew::add_notes(Report& report) {
  const std::lock_guard lock(state_->mutex);
  for (const CrewState::Member& member : state_->members) {
    report.notes.insert(report.notes.end(), member.notes.begin(), member.notes.end());
  }
  const std::vector<std::string> of_sensors = state_->sampler.notes();
  report.notes.insert(report.notes.end(), of_sensors.begin(), of_sensors.end());
}

}  // namespace skua
