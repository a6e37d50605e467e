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

/// In the words of who set them.
void check(const JobOptions& options, std::uint64_t items, std::uint64_t granule_items, std::size_t result_bytes) {
  const auto name_option = [](const char* option, const auto& make) {
    try {
      make();
    } catch (const InputError& error) {
      throw InputError(option + std::string(error.what()));
    }
  };
  name_option("JobOptions::", [&] { make_chunk_policy(options.policy); });
  name_option("JobOptions::granule_items: ", [&] {
    const Granules granules(items, granule_items);
    check_results(granules, granules.all(), result_bytes);
  });
}

}  // namespace

Scheduler::Crew::Crew(std::shared_ptr<CrewState> state, const SchedulerOptions& options)
    : state_(std::move(state)), patience_(options.patience), earlier_(state_->devices) {
  const std::string trace = options.trace.empty() ? environment_variable("SKUA_TRACE").value_or("") : options.trace;
  if (!trace.empty()) {
    state_->trace = std::make_unique<Trace>(trace);
    if (!state_->trace->note().empty()) state_->notes.push_back(state_->trace->note());
  }
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
  request.kernel = std::move(kernel);
  const std::size_t result_bytes = request.kernel != nullptr ? request.kernel->partial_bytes() : 0;
  const std::uint64_t granule =
      options.granule_items != 0 ? options.granule_items : default_granule_items(items, result_bytes);
  request.granule_items = std::min(granule, std::max<std::uint64_t>(items, 1));
  request.filling_items = options.filling_items;
  request.policy = options.policy;
  check(options, items, request.granule_items, result_bytes);
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

/// Offers the Job to devices that have not been asked yet. Those that cannot wait by themselves are left out as long as
/// there is something to wait for.
void Scheduler::Crew::offer(const std::shared_ptr<JobRun>& job, To whom) {
  std::vector<Parking*> asleep;
  {
    const std::lock_guard lock(state_->mutex);
    state_->earlier = earlier_.works();
    for (std::uint32_t i = 0; i < job->device_count(); ++i) {
      if (is_asked_[i] || !job->takes_part(i) || (whom == To::dealt && !job->was_dealt(i))) continue;
      if (!earlier_.can_wait(*state_->devices[i])) continue;
      is_asked_[i] = true;
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
  earlier_.look(options.after, turn_ns);
  const std::shared_ptr<JobRun> job = make_job(items, std::move(kernel), options);
  if (options.cancellation && options.cancellation->requested()) job->stop(Stop::cancelled);
  progress_failure_ = nullptr;
  if (!job->is_over()) {
    try {
      is_asked_.assign(state_->devices.size(), false);
      offer(job, To::dealt);
      wait_until_over(job, options, turn_ns);
    } catch (...) {
      job->stop(Stop::cancelled);
      wait_until_left(*job);
      throw;
    }
    wait_until_left(*job);
  }
  earlier_.forget();
  job->remember();
  Report report = job->report(begin_ns, state_->clock->now_ns());
  if (state_->trace) state_->trace->flush();
  constexpr double worth_a_note_s = 1e-3;
  if (const double waited_s = static_cast<double>(turn_ns - begin_ns) * 1e-9; waited_s > worth_a_note_s) {
    report.notes.push_back("waited " + std::to_string(waited_s) + " s for Jobs of other threads before it began");
  }
  for (const std::string& note : earlier_.notes()) report.notes.push_back(note);
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
  report.notes.insert(report.notes.end(), state_->notes.begin(), state_->notes.end());
  for (const CrewState::Member& member : state_->members) {
    report.notes.insert(report.notes.end(), member.notes.begin(), member.notes.end());
  }
  const std::vector<std::string> of_sensors = state_->sampler.notes();
  report.notes.insert(report.notes.end(), of_sensors.begin(), of_sensors.end());
}

}  // namespace skua
