// Threads, and one Job after another.
#include "crew.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <skua/discovery.hpp>
#include <skua/input.hpp>
#include <skua/placement.hpp>
#include <system/thread.hpp>

#include "distances.hpp"
#include "waiting.hpp"

namespace skua {
namespace {

// Waking a thread up costs some 50 us, so threads of GPUs stay awake between Jobs that follow one another closely, and
// so does the caller for Jobs that are as short.
constexpr std::int64_t warm_ns = 1'000'000;

/// A device that was given up may yet write to what its launches were given: that is kept to the end of the process.
void keep_forever(std::unique_ptr<Worker> worker) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::unique_ptr<Worker>>;
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(worker));
}

bool was_given_up(CrewState& state, std::uint32_t index) {
  const std::lock_guard lock(state.mutex);
  return state.members[index].given_up;
}

/// One Worker's part of one Job, on its thread. False when the device still holds a launch that nobody waits for any
/// more: it can take no other.
bool run_job(CrewState& state, const std::shared_ptr<Job>& job, std::uint32_t index, Feedback& feedback) {
  Device& device = *state.devices[index];
  const std::int64_t cpu_begin_ns = this_thread_cpu_ns();
  Waiting waiting(state.parking, state.clock, state.warm);
  try {
    Worker::Context context{job, index, device, state.clock, feedback, state.distances[index], state.trace != nullptr,
                            {}};
    if (const auto& address = state.addresses[index]) {
      context.load = [&state, &address] { return state.sampler.latest(*address); };
    }
    auto worker = std::make_unique<Worker>(std::move(context));
    for (;;) {
      const Parking::Ticket ticket = state.parking.ticket();
      const Step step = worker->step();
      if (step.wait == Step::Wait::finished) break;
      if (step.wait == Step::Wait::completion && job->over() && was_given_up(state, index)) {
        keep_forever(std::move(worker));
        return false;
      }
      waiting.wait(step, ticket);
    }
    if (state.trace) state.trace->add(worker->take_trace());
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
  std::int64_t warm_until_ns = 0;
  for (;;) {
    const Parking::Ticket ticket = state->parking.ticket();
    std::shared_ptr<Job> job;
    Feedback* feedback = nullptr;
    {
      const std::lock_guard lock(state->mutex);
      auto& all_notes = state->members[index].notes;
      all_notes.insert(all_notes.end(), notes.begin(), notes.end());
      notes.clear();
      if (state->stopping) return;
      if (state->job && state->job_number != last_job && state->members[index].inside) {
        job = state->job;
        feedback = state->feedback.at(job->spec().name)[index].get();
      }
      last_job = state->job_number;
    }
    if (!job) {
      const auto noticed = [&] { return state->parking.ticket() != ticket; };
      if (!spin_until(noticed, warm_until_ns, state->clock)) state->parking.wait(ticket);
      continue;
    }
    if (!run_job(*state, job, index, *feedback)) return;
    job.reset();
    {
      const std::lock_guard lock(state->mutex);
      CrewState::Member& member = state->members[index];
      if (!member.given_up) state->inside_count.fetch_sub(1, std::memory_order_release);
      member.inside = false;
      member.given_up = false;
    }
    state->changed.notify_all();
    if (state->warm) warm_until_ns = state->clock.now_ns() + warm_ns;
  }
}

}  // namespace

Scheduler::Crew::Crew(std::unique_ptr<CrewState> state, const SchedulerOptions& options)
    : state_(std::move(state)), patience_(options.patience) {
  CrewState& shared = *state_;
  shared.distances = device_distances(shared.devices, shared.topology);
  shared.members.resize(shared.devices.size());
  for (std::size_t i = 0; i < shared.devices.size(); ++i) shared.members[i].notes = shared.devices[i]->info().notes;
  const auto is_gpu = [](const auto& device) { return device->info().kind == DeviceKind::gpu; };
  shared.warm = std::all_of(shared.devices.begin(), shared.devices.end(), is_gpu) &&
                shared.devices.size() < discover_host_cpus().usable_count();
  const std::string trace = options.trace.empty() ? environment_variable("SKUA_TRACE").value_or("") : options.trace;
  if (!trace.empty()) shared.trace = std::make_unique<Trace>(trace);
  watch_loads();
  for (std::uint32_t index = 0; index < shared.devices.size(); ++index) {
    if (shared.trace) shared.trace->name_track(index, shared.devices[index]->info().name);
    threads_.emplace_back(work, state_, index);
  }
}

void Scheduler::Crew::watch_loads() {
  for (const auto& device : state_->devices) {
    const auto& id = device->info().gpu;
    std::optional<GpuAddress> address;
    if (id && id->index < state_->topology.gpus.size()) {
      const Gpu& gpu = state_->topology.gpus[id->index];
      if (gpu.pci) address = GpuAddress{*gpu.pci, gpu.partition};
    }
    if (address) state_->sampler.watch(*address);
    state_->addresses.push_back(address);
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

void Scheduler::Crew::require_a_device(const JobSpec& spec) const {
  const auto takes_part = [](double weight) { return weight > 0; };
  if (std::any_of(spec.placement.begin(), spec.placement.end(), takes_part)) return;
  for (const auto& device : state_->devices) {
    if (device->can_run(*spec.kernel)) throw DeviceError("no device is left: all were given up by earlier Jobs");
  }
  throw InputError("device " + state_->devices.front()->info().name + ": there is no code for it in the loop '" +
                   spec.name + "': let hipcc or nvcc compile its source, or run it with --devices host");
}

std::vector<double> Scheduler::Crew::weights_of(const JobSpec& spec, const JobOptions& options) {
  const std::vector<Feedback*> feedback = feedback_of(options.name);
  std::vector<PlacedDevice> devices(feedback.size());
  const std::lock_guard lock(state_->mutex);
  for (std::size_t i = 0; i < feedback.size(); ++i) {
    const Device& device = *state_->devices[i];
    devices[i].takes_part = !state_->members[i].given_up && device.can_run(*spec.kernel);
    devices[i].rate_guess = device.info().rate_guess;
    // A Worker that never came back may still write to its feedback.
    if (devices[i].takes_part) devices[i].items_per_second = feedback[i]->items_per_second();
    if (options.placement == Placement::even) devices[i] = {std::nullopt, 1, devices[i].takes_part};
  }
  return placement_weights(devices, spec.granules());
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
  // What GPUs can write the host can write, too.
  const auto gpu = std::find_if(state_->devices.begin(), state_->devices.end(),
                                [](const auto& device) { return device->info().kind == DeviceKind::gpu; });
  Device& allocating = gpu != state_->devices.end() ? **gpu : *state_->devices.front();
  spec.allocate = [&allocating](std::size_t bytes) { return allocating.allocate(bytes); };
  spec.placement = weights_of(spec, options);
  require_a_device(spec);
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
      std::uint32_t inside = 0;
      for (std::uint32_t i = 0; i < job->device_count(); ++i) {
        state_->members[i].inside = !job->seat(i).retired;
        inside += state_->members[i].inside ? 1 : 0;
      }
      state_->inside_count.store(inside, std::memory_order_relaxed);
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
    const std::vector<std::string> of_sensors = state_->sampler.notes();
    report.notes.insert(report.notes.end(), of_sensors.begin(), of_sensors.end());
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

/// Spins while the Job has just begun or is about to end, and says for how long to sleep after that.
std::chrono::nanoseconds Scheduler::Crew::stay_awake(const Job& job, std::int64_t begin_ns) const {
  const auto over = [&] { return job.over(); };
  const std::int64_t now_ns = state_->clock.now_ns();
  const std::int64_t end_ns = job.forecast_end_ns(now_ns).value_or(begin_ns + warm_ns);
  if (end_ns - now_ns > warm_ns / 4) return std::chrono::nanoseconds((end_ns - now_ns) / 2);
  spin_until(over, std::max(end_ns, begin_ns) + warm_ns / 4, state_->clock);
  return std::chrono::nanoseconds(warm_ns / 4);
}

void Scheduler::Crew::wait_until_over(Job& job, const JobOptions& options, std::int64_t begin_ns) {
  constexpr std::chrono::milliseconds cancellation_every{10};
  std::exception_ptr progress_failure;
  std::int64_t next_progress_ns = begin_ns;
  while (!job.over()) {
    std::chrono::nanoseconds pause = std::chrono::seconds(1);
    if (state_->warm) pause = std::min(pause, stay_awake(job, begin_ns));
    if (options.progress) pause = std::min<std::chrono::nanoseconds>(pause, options.progress_every);
    if (options.cancellation) pause = std::min<std::chrono::nanoseconds>(pause, cancellation_every);
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
  const auto nobody_inside = [&] { return state_->inside_count.load(std::memory_order_acquire) == 0; };
  if (state_->warm) spin_until(nobody_inside, state_->clock.now_ns() + warm_ns, state_->clock);
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
