// Virtual devices, and the loop that steps Workers over them.
#include "virtual_machine.hpp"

#include <algorithm>
#include <cmath>

namespace skua::test {
namespace {

void run_granules(const Kernel& kernel, const Chunk& chunk, std::uint64_t granules) {
  Chunk part = chunk;
  for (std::uint64_t i = 0; i < granules; ++i) {
    part.end = std::min(part.begin + part.granule, chunk.end);
    kernel.run_on_host(part);
    part.begin = part.end;
    if (part.partials != nullptr) part.partials = static_cast<std::byte*>(part.partials) + kernel.partial_bytes();
  }
}

std::int64_t in_ns(double seconds) {
  return std::isfinite(seconds) && seconds < 1e9 ? std::llround(seconds * 1e9) : never_ns;
}

}  // namespace

double work_between(const Behaviour& behaviour, double from_s, double until_s) {
  double work = 0;
  double factor = 1;
  double at_s = from_s;
  for (const SpeedChange& change : behaviour.changes) {
    const double until_change_s = std::clamp(change.from_s, from_s, until_s);
    work += behaviour.work_per_second * factor * std::max(0.0, until_change_s - at_s);
    at_s = std::max(at_s, until_change_s);
    factor = change.factor;
  }
  return work + behaviour.work_per_second * factor * std::max(0.0, until_s - at_s);
}

double end_of_work(const Behaviour& behaviour, double from_s, double work) {
  double factor = 1;
  double at_s = from_s;
  for (const SpeedChange& change : behaviour.changes) {
    const double possible = behaviour.work_per_second * factor * std::max(0.0, change.from_s - at_s);
    if (possible >= work) break;
    work -= possible;
    at_s = std::max(at_s, change.from_s);
    factor = change.factor;
  }
  return factor > 0 ? at_s + work / (behaviour.work_per_second * factor) : never_s;
}

VirtualDevice::VirtualDevice(std::string name, Behaviour behaviour, Work work, VirtualClock& clock)
    : behaviour_(std::move(behaviour)), work_(std::move(work)), clock_(clock) {
  info_.name = std::move(name);
  info_.kind = DeviceKind::simulated;
  info_.launches_max = behaviour_.launches_max;
}

std::optional<Failure> VirtualDevice::launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) {
  if (lost_) return Failure{Failure::Kind::lost, "was lost", nullptr};
  const std::uint64_t launch = launches_++;
  if (launch >= behaviour_.refuses_at) return Failure{Failure::Kind::launch, "refused by the scenario", nullptr};
  clock_.advance_to(clock_.now_ns() + in_ns(behaviour_.host_s));
  const std::int64_t turn_ns = std::max(clock_.now_ns(), free_ns_);
  Held held{&kernel, chunk, number, launch, never_ns, never_ns};
  if (launch < behaviour_.hangs_at && turn_ns != never_ns) {
    const bool queued = free_ns_ > clock_.now_ns();
    held.begin_ns = turn_ns + in_ns(queued ? behaviour_.queued_s.value_or(behaviour_.launch_s) : behaviour_.launch_s);
    std::mt19937_64 random(behaviour_.seed * 1'000'003 + launch);
    const double deviation = std::uniform_real_distribution<double>(-behaviour_.noise, behaviour_.noise)(random);
    double work = work_ ? work_(chunk.begin, chunk.end) : static_cast<double>(chunk.items());
    if (behaviour_.fetch_work) work += behaviour_.fetch_work(chunk.begin, chunk.end);
    if (chunk.items() < behaviour_.filling_items) {
      work *= static_cast<double>(behaviour_.filling_items) / static_cast<double>(chunk.items());
    }
    const double begin_s = static_cast<double>(held.begin_ns - VirtualClock::start_ns) * 1e-9;
    const double stalled_s = begin_s + (launch == 0 ? behaviour_.first_chunk_s : 0);
    const double end_s = end_of_work(behaviour_, stalled_s, work * (1 + deviation));
    const std::int64_t end_ns = in_ns(end_s);
    if (end_ns != never_ns) {
      held.end_ns = std::max(held.begin_ns + 1, VirtualClock::start_ns + end_ns);
    }
  }
  if (launch == behaviour_.hangs_at && turn_ns != never_ns) {
    alive_until_s_ = static_cast<double>(turn_ns - VirtualClock::start_ns) * 1e-9;
  }
  free_ns_ = held.end_ns;
  held_.push_back(held);
  return std::nullopt;
}

bool VirtualDevice::ends_early(const Held& held) const {
  return behaviour_.ends_dropped && held.end_ns != never_ns && held.chunk.dropped != nullptr &&
         held.chunk.dropped->load();
}

Completion VirtualDevice::drop(const Held& held) {
  Completion completion;
  completion.launch = held.number;
  completion.begin_ns = std::min(held.begin_ns, clock_.now_ns());
  completion.end_ns = clock_.now_ns();
  const double part = held.begin_ns < clock_.now_ns() ? static_cast<double>(clock_.now_ns() - held.begin_ns) /
                                                            static_cast<double>(held.end_ns - held.begin_ns)
                                                      : 0;
  const auto granules = static_cast<std::uint64_t>(part * static_cast<double>(held.chunk.granules()));
  run_granules(*held.kernel, held.chunk, granules);
  if (granules > 0) completion.done_before_drop = {{0, granules}};
  free_ns_ = clock_.now_ns();
  for (Held& next : held_) {
    const std::int64_t lasts_ns = next.end_ns - next.begin_ns;
    if (next.end_ns == never_ns) break;
    next.begin_ns = free_ns_ + in_ns(behaviour_.launch_s);
    next.end_ns = next.begin_ns + lasts_ns;
    free_ns_ = next.end_ns;
  }
  return completion;
}

std::optional<Completion> VirtualDevice::poll() {
  if (held_.empty()) return std::nullopt;
  const Held held = held_.front();
  if (held.end_ns > clock_.now_ns()) {
    if (!ends_early(held)) return std::nullopt;
    held_.pop_front();
    return drop(held);
  }
  held_.pop_front();
  Completion completion;
  completion.launch = held.number;
  completion.begin_ns = held.begin_ns;
  completion.end_ns = held.end_ns;
  if (held.launch >= behaviour_.lost_at) {
    lost_ = true;
    completion.failure = Failure{Failure::Kind::lost, "lost by the scenario", nullptr};
  } else if (held.launch == behaviour_.fails_at) {
    completion.failure = Failure{Failure::Kind::launch, "failed by the scenario", nullptr};
  } else {
    run_granules(*held.kernel, held.chunk, held.chunk.granules());
  }
  return completion;
}

std::int64_t VirtualDevice::next_end_ns() const {
  if (held_.empty()) return never_ns;
  return ends_early(held_.front()) ? std::min(clock_.now_ns(), held_.front().end_ns) : held_.front().end_ns;
}

VirtualMachine::VirtualMachine(const std::vector<Behaviour>& behaviours, Work work) : feedback_(behaviours.size()) {
  for (const Behaviour& behaviour : behaviours) {
    const std::string name = "virtual:" + std::to_string(devices_.size());
    devices_.push_back(std::make_unique<VirtualDevice>(name, behaviour, work, clock_));
  }
}

/// One run: the Workers, and when each is to be stepped next.
class VirtualMachine::Driver {
 public:
  Driver(VirtualMachine& machine, JobSpec spec, const Options& options)
      : machine_(machine),
        clock_(machine.clock_),
        detection_ns_(in_ns(options.detection_s)),
        begin_ns_(machine.clock_.now_ns()),
        job_(std::make_shared<Job>(std::move(spec))) {
    if (std::isfinite(options.cancel_at_s)) cancel_ns_ = begin_ns_ + in_ns(options.cancel_at_s);
    job_->on_change = [this] { changed_ = true; };
    const auto count = job_->device_count();
    for (std::uint32_t i = 0; i < count; ++i) {
      Device& device = *machine.devices_[i];
      job_->seat(i).busy_until_ns = begin_ns_;
      job_->seat(i).account.name = device.info().name;
      wake_.push_back(job_->seat(i).retired ? never_ns : begin_ns_);
      std::vector<std::uint32_t> distances(count);
      for (std::uint32_t j = 0; j < count; ++j) distances[j] = (j + count - i) % count;
      if (!options.distances.empty()) distances = options.distances[i];
      workers_.push_back(
          std::make_unique<Worker>(Worker::Context{job_, i, device, clock_, machine.feedback_[i], distances, false}));
    }
    gone_.assign(count, false);
    idle_since_.assign(count, never_ns);
  }

  Run run() {
    constexpr std::uint64_t steps_max = 1'000'000;
    constexpr std::int64_t guard_ns = 600'000'000'000;
    Run run;
    run.job = job_;
    run.begin_s = clock_.now_s();
    while (run.steps < steps_max && clock_.now_ns() - begin_ns_ < guard_ns) {
      const auto next = std::min_element(wake_.begin(), wake_.end());
      if (std::min(*next, cancel_ns_) == never_ns) break;
      cancel_ns_ <= *next ? cancel() : step(static_cast<std::uint32_t>(next - wake_.begin()), run);
      wake_others();
      ++run.steps;
    }
    run.ended = job_->over() && run.steps < steps_max;
    run.report = job_->report(begin_ns_, clock_.now_ns());
    job_->on_change = nullptr;
    return run;
  }

 private:
  void cancel() {
    clock_.advance_to(cancel_ns_);
    cancel_ns_ = never_ns;
    job_->stop(Stop::cancelled, clock_.now_ns());
  }

  void step(std::uint32_t index, Run& run) {
    clock_.advance_to(wake_[index]);
    const std::int64_t begin_ns = clock_.now_ns();
    const Step step = workers_[index]->step();
    const std::int64_t free_ns = clock_.now_ns();
    clock_.return_to(begin_ns);
    gone_[index] = step.wait == Step::Wait::finished;
    wake_[index] = std::max(free_ns, wake_ns(step, *machine_.devices_[index]));
    const bool idle =
        step.wait == Step::Wait::work && job_->items_in_shares() >= job_->spec().items / 16 && !job_->over();
    if (!idle) {
      idle_since_[index] = never_ns;
      return;
    }
    idle_since_[index] = std::min(idle_since_[index], clock_.now_ns());
    const std::int64_t idle_ns = clock_.now_ns() - idle_since_[index];
    run.longest_idle_s = std::max(run.longest_idle_s, static_cast<double>(idle_ns) * 1e-9);
  }

  /// A device that a drop lets end early, and whoever waits when the Job changes, is looked at again.
  void wake_others() {
    constexpr std::int64_t wake_up_ns = 1'000;
    for (std::uint32_t i = 0; i < wake_.size(); ++i) {
      const bool ended = machine_.devices_[i]->next_end_ns() <= clock_.now_ns();
      if (!gone_[i] && (changed_ || ended)) wake_[i] = std::min(wake_[i], clock_.now_ns() + wake_up_ns);
    }
    changed_ = false;
  }

  std::int64_t wake_ns(const Step& step, const VirtualDevice& device) const {
    switch (step.wait) {
      case Step::Wait::nothing:
        return clock_.now_ns();
      case Step::Wait::completion:
        return device.next_end_ns() == never_ns ? never_ns : device.next_end_ns() + detection_ns_;
      case Step::Wait::work:
        return std::max(step.until_ns, clock_.now_ns() + 1);
      case Step::Wait::finished:
        break;
    }
    return never_ns;
  }

  VirtualMachine& machine_;
  VirtualClock& clock_;
  const std::int64_t detection_ns_;
  const std::int64_t begin_ns_;
  std::int64_t cancel_ns_ = never_ns;
  std::shared_ptr<Job> job_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::int64_t> wake_;
  std::vector<std::int64_t> idle_since_;
  std::vector<bool> gone_;
  bool changed_ = false;
};

VirtualMachine::Run VirtualMachine::run(JobSpec spec, const Options& options) {
  spec.placement = options.placement.empty() ? std::vector<double>(devices_.size(), 1.0) : options.placement;
  spec.allocate = [this](std::size_t bytes) { return devices_.front()->allocate(bytes); };
  return Driver(*this, std::move(spec), options).run();
}

double VirtualMachine::fluid_bound_s(double work, double begin_s) const {
  double low = 0;
  double high = 1e-6;
  const auto possible = [&](double seconds) {
    double sum = 0;
    for (const auto& device : devices_) {
      const double end_s = std::min(begin_s + seconds, std::max(begin_s, device->alive_until_s()));
      sum += work_between(device->behaviour(), begin_s, end_s);
    }
    return sum;
  };
  while (possible(high) < work) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (possible(middle) < work ? low : high) = middle;
  }
  return high;
}

std::vector<double> VirtualMachine::rates() const {
  std::vector<double> rates;
  for (const Feedback& feedback : feedback_) {
    if (!feedback.items_per_second()) return std::vector<double>(feedback_.size(), 1.0);
    rates.push_back(*feedback.items_per_second());
  }
  return rates;
}

}  // namespace skua::test
