// How a Job is put together, stepped and stopped.
#include "job_run.hpp"

#include <algorithm>
#include <typeinfo>

#include <skua/input.hpp>
#include <skua/job_errors.hpp>

#include <decide/placement.hpp>

namespace skua {
namespace {

constexpr std::uint64_t results_bytes_max = std::uint64_t{4} << 30;

Loop make_loop(JobRequest& request) {
  Loop loop;
  loop.name = request.name;
  loop.granules = Granules(request.items, request.granule_items);
  loop.filling_items = request.filling_items;
  loop.own = request.own.value_or(loop.granules.all());
  loop.kernel = std::move(request.kernel);
  loop.policy = make_chunk_policy(request.policy);
  loop.policy_name = request.policy;
  loop.repeatable = request.repeatable;
  check_results(loop.granules, loop.own, loop.kernel->partial_bytes());
  return loop;
}

/// Of a Job that could not begin.
Report report_of_nothing(const Loop& loop) {
  Report report;
  report.job_name = loop.name;
  report.items = loop.granules.items();
  report.granule_items = loop.granules.granule_items();
  report.policy = loop.policy_name;
  if (!loop.own.empty()) report.not_done.push_back(loop.granules.range(loop.own));
  return report;
}

void require_a_device(const Loop& loop, const DeviceSet& devices, const std::vector<RatedDevice>& rated) {
  if (std::any_of(rated.begin(), rated.end(), [](const RatedDevice& device) { return device.takes_part; })) return;
  std::string busy;
  for (const DeviceSet::Entry& entry : devices.entries) {
    if (!entry.is_free && entry.device.can_run(*loop.kernel)) busy += "; " + entry.device.info().name;
  }
  if (!busy.empty()) {
    throw DeviceError("no device is free: each still runs something of an earlier Job" + busy, report_of_nothing(loop));
  }
  const Device& first = devices.entries.front().device;
  throw InputError("device " + first.info().name + ": it cannot run the loop '" + loop.name +
                   "': " + first.why_not(*loop.kernel) + "; or run it on the device host");
}

std::vector<RatedDevice> rate_devices(const Loop& loop, const DeviceSet& devices, const JobRequest& request,
                                      std::vector<Feedback>& feedback) {
  std::vector<RatedDevice> rated;
  for (std::size_t i = 0; i < devices.entries.size(); ++i) {
    const Device& device = devices.entries[i].device;
    RatedDevice one;
    one.takes_part = devices.entries[i].is_free && device.can_run(*loop.kernel) &&
                     (request.weights.empty() || request.weights[i] > 0);
    one.rate_guess = device.info().rate_guess;
    if (one.takes_part) {
      // A device that was given up may still write to its own.
      feedback[i].begin_job(loop.is_doubted);
      one.items_per_second = feedback[i].items_per_second();
    }
    rated.push_back(one);
  }
  require_a_device(loop, devices, rated);
  return rated;
}

std::vector<double> deal_weights(const Loop& loop, const DeviceSet& devices, const JobRequest& request,
                                 const std::vector<RatedDevice>& rated) {
  std::vector<double> weights = request.weights;
  if (weights.empty()) {
    std::vector<PlacedDevice> placed;
    for (std::size_t i = 0; i < rated.size(); ++i) {
      const RatedDevice& device = rated[i];
      const bool even = request.placement == Placement::even;
      placed.push_back({even ? std::nullopt : device.items_per_second, even ? 1 : device.rate_guess, device.takes_part,
                        !devices.entries[i].device.info().can.stays_warm});
    }
    weights = placement_weights(placed, loop.own.size(), Work(loop.granules, loop.costs).of(loop.own));
  }
  for (std::size_t i = 0; i < rated.size(); ++i) {
    if (!rated[i].takes_part) weights[i] = 0;
  }
  return weights;
}

/// Where the costs of places are known, weights share out work; where they are not, granules.
std::vector<Interval> deal_by_work(const Loop& loop, const std::vector<double>& weights) {
  const Work work(loop.granules, loop.costs);
  const bool is_even = loop.costs.is_even();
  constexpr std::uint32_t fine = std::uint32_t{1} << 30;
  std::vector<Interval> deal = place(is_even ? loop.own.size() : fine, weights);
  const double all = work.of(loop.own);
  const auto border = [&](std::uint32_t at) {
    if (is_even || at == 0) return loop.own.front + at;
    return at == fine ? loop.own.back : work.border_in(loop.own, all * at / fine);
  };
  for (Interval& share : deal) share = {border(share.front), border(share.back)};
  return deal;
}

/// What earlier Jobs of the loop have shown.
void recall(Loop& loop, const LoopMemory& memory) {
  const auto is_known = [](const Feedback& feedback) { return feedback.items_per_second().has_value(); };
  loop.is_new = std::none_of(memory.devices.begin(), memory.devices.end(), is_known);
  const std::uint64_t items = loop.granules.items();
  if (memory.items <= 2 * items && items <= 2 * memory.items) {
    loop.costs = memory.costs;
  } else {
    loop.is_doubted = !loop.is_new;
  }
}

std::vector<JobDevice> make_devices(const Loop& loop, const DeviceSet& devices, const JobRequest& request,
                                    std::vector<Feedback>& feedback) {
  const std::vector<RatedDevice> rated = rate_devices(loop, devices, request, feedback);
  const std::vector<Interval> deal = deal_by_work(loop, deal_weights(loop, devices, request, rated));
  std::vector<JobDevice> made;
  for (std::size_t i = 0; i < rated.size(); ++i) {
    Device& device = devices.entries[i].device;
    const bool stops = device.info().can.stops_at_granules && loop.kernel->unit() == Kernel::Unit::granule;
    made.push_back({device.info().name, rated[i], deal[i], stops, device.share_word()});
  }
  return made;
}

/// Results are to be written by all: what a device that does not reach the host's memory gives, the host can write,
/// too.
Device& allocating(const std::vector<Device*>& devices) {
  const auto picky = std::find_if(devices.begin(), devices.end(),
                                  [](const Device* device) { return !device->info().can.reaches_host_memory; });
  return picky != devices.end() ? **picky : *devices.front();
}

std::vector<Device*> all_of(const DeviceSet& devices) {
  std::vector<Device*> all;
  for (const DeviceSet::Entry& entry : devices.entries) all.push_back(&entry.device);
  return all;
}

LoopKey key_of(const JobRequest& request) {
  if (request.kernel == nullptr) throw InputError("loop '" + request.name + "': it has no kernel");
  const Kernel& kernel = *request.kernel;
  return {typeid(kernel), request.name};
}

}  // namespace

void check_results(const Granules& granules, Interval own, std::size_t bytes_each) {
  const std::uint64_t bytes = own.size() * std::uint64_t{bytes_each};
  if (bytes <= results_bytes_max) return;
  throw InputError("granule " + std::to_string(granules.granule_items()) + ": the results of " +
                   std::to_string(own.size()) + " granules need " + std::to_string(bytes) +
                   " bytes, at most 4294967296 are allowed");
}

JobRun::JobRun(JobRequest request, const DeviceSet& devices, RateMemory& memory, const Clock& clock,
               JobListener& listener)
    : clock_(clock),
      memory_(memory.of(key_of(request))),
      devices_(all_of(devices)),
      job_(
          [&] {
            Loop loop = make_loop(request);
            recall(loop, *memory_);
            std::vector<JobDevice> made = make_devices(loop, devices, request, memory_->devices);
            return JobParts{std::move(loop), std::move(made)};
          }(),
          clock.now_ns(), listener) {
  if (job_.results.bytes_each() > 0 && !job_.loop.own.empty()) {
    const std::size_t bytes = job_.loop.own.size() * job_.results.bytes_each();
    job_.results.add(job_.loop.own, allocating(devices_).allocate(bytes));
  }
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    was_dealt_.push_back(!job_.left.share(i).look().empty());
    if (job_.rates.is_retired(i)) {
      workers_.push_back(nullptr);
      continue;
    }
    workers_.push_back(
        std::make_unique<Worker>(Worker::Context{job_, i, *devices_[i], clock_, memory_->devices[i], devices.nearness,
                                                 devices.is_traced, devices.entries[i].load}));
  }
  job_.end_if_done(clock_.now_ns());
}

JobRun::~JobRun() = default;

bool JobRun::all_dealt() const noexcept {
  for (std::uint32_t i = 0; i < device_count(); ++i) {
    if (takes_part(i) && !was_dealt_[i]) return false;
  }
  return true;
}

Step JobRun::step(std::uint32_t device, std::span<const Completion> ended, std::uint32_t free_launches) {
  Worker& worker = *workers_[device];
  try {
    return worker.step(ended, free_launches);
  } catch (const std::exception& error) {
    stop(Stop::body_failed, "device " + devices_[device]->info().name + ": " + error.what(), std::current_exception());
  } catch (...) {
    stop(Stop::body_failed, "device " + devices_[device]->info().name + ": not a std::exception",
         std::current_exception());
  }
  return worker.rest();
}

bool JobRun::holds(std::uint32_t device, std::uint64_t launch) const noexcept {
  return workers_[device] != nullptr && workers_[device]->holds(launch);
}

std::optional<std::uint64_t> JobRun::oldest_launch(std::uint32_t device) const noexcept {
  return workers_[device] != nullptr ? workers_[device]->oldest_launch() : std::nullopt;
}

std::uint32_t JobRun::launches_held(std::uint32_t device) const noexcept {
  return workers_[device] != nullptr ? workers_[device]->launches_held() : 0;
}

void JobRun::note_slow_call(std::uint32_t device) {
  job_.ledger.change(device, [](DeviceReport& account) { ++account.slow_calls; });
}

void JobRun::add_host_ns(std::uint32_t device, std::int64_t cpu_ns) {
  job_.ledger.change(device, [&](DeviceReport& account) { account.host_s += static_cast<double>(cpu_ns) * 1e-9; });
}

void JobRun::receive(Interval granules) {
  Memory memory;
  if (job_.results.bytes_each() > 0) {
    memory = allocating(devices_).allocate(granules.size() * job_.results.bytes_each());
  }
  job_.receive(granules, std::move(memory));
}

/// What a device that was given up took is its own yet.
void JobRun::remember() {
  if (stopped() != Stop::none || has_given_up()) return;
  std::vector<const PlaceTimes*> times;
  for (const auto& worker : workers_) {
    if (worker != nullptr) times.push_back(&worker->times());
  }
  memory_->costs = job_.loop.costs.after(times);
  memory_->items = job_.granules.items();
  if (memory_->costs.is_even() && job_.loop.costs.is_even()) return;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i] == nullptr || workers_[i]->times().empty()) continue;
    const PlaceTimes& took = workers_[i]->times();
    double done = 0;
    double seconds = 0;
    for (const PlaceTimes::Part& part : took.parts()) {
      done += memory_->costs.before(part.to) - memory_->costs.before(part.from);
      seconds += part.seconds;
    }
    memory_->devices[i].correct(done * static_cast<double>(job_.granules.items()), seconds);
  }
}

void JobRun::stop(Stop why, std::string message, std::exception_ptr exception) {
  job_.stop(why, clock_.now_ns(), std::move(message), std::move(exception));
}

std::optional<std::int64_t> JobRun::forecast_end_ns() const noexcept {
  return job_.rates.end_ns(job_.left.work_in_shares(job_.work), clock_.now_ns());
}

std::vector<TraceEvent> JobRun::take_trace(std::uint32_t device) {
  return workers_[device] != nullptr ? workers_[device]->take_trace() : std::vector<TraceEvent>{};
}

}  // namespace skua
