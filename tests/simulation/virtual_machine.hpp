// Devices and a clock of virtual time, and the loop that steps the real Workers over them: one thread, same seed, same
// run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <skua/feedback.hpp>
#include <skua/job.hpp>
#include <skua/worker.hpp>

namespace skua::test {

class VirtualClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now_ns_; }
  void advance_to(std::int64_t ns) { now_ns_ = std::max(now_ns_, ns); }

 private:
  std::int64_t now_ns_ = 1'000'000;
};

/// How one virtual device behaves.
struct Behaviour {
  /// Seconds that `items` take for the `launch`-th launch (from 0), begun at `begin_s`; infinite: it never ends.
  std::function<double(std::uint64_t items, std::uint64_t launch, double begin_s)> seconds;
  std::uint64_t refuses_from = std::numeric_limits<std::uint64_t>::max();  ///< this launch and later ones
  std::uint32_t launches_max = 2;
};

class VirtualDevice final : public Device {
 public:
  VirtualDevice(std::string name, Behaviour behaviour, const VirtualClock& clock)
      : behaviour_(std::move(behaviour)), clock_(clock) {
    info_.name = std::move(name);
    info_.kind = DeviceKind::simulated;
    info_.launches_max = behaviour_.launches_max;
  }

  const DeviceInfo& info() const noexcept override { return info_; }

  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    if (launches_ >= behaviour_.refuses_from) return Failure{Failure::Kind::launch, "refused by the scenario", nullptr};
    const std::int64_t begin_ns = held_.empty() ? clock_.now_ns() : std::max(clock_.now_ns(), held_.back().end_ns);
    const double seconds = behaviour_.seconds(chunk.items(), launches_++, static_cast<double>(begin_ns) * 1e-9);
    const bool ends = begin_ns != never && std::isfinite(seconds);
    held_.push_back({&kernel, chunk, number, begin_ns,
                     ends ? begin_ns + std::max<std::int64_t>(1, std::llround(seconds * 1e9)) : never});
    return std::nullopt;
  }

  std::optional<Completion> poll() override {
    if (held_.empty() || held_.front().end_ns > clock_.now_ns()) return std::nullopt;
    const Held held = held_.front();
    held_.pop_front();
    run(held);
    Completion completion;
    completion.launch = held.number;
    completion.begin_ns = held.begin_ns;
    completion.end_ns = held.end_ns;
    return completion;
  }

  /// When the oldest launch ends.
  std::int64_t next_end_ns() const { return held_.empty() ? never : held_.front().end_ns; }

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

 private:
  struct Held {
    const Kernel* kernel;
    Chunk chunk;
    std::uint64_t number;
    std::int64_t begin_ns;
    std::int64_t end_ns;
  };

  static void run(const Held& held) {
    Chunk part = held.chunk;
    while (part.begin < held.chunk.end && !held.chunk.dropped->load()) {
      part.end = std::min(part.begin + part.granule, held.chunk.end);
      held.kernel->run_on_host(part);
      part.begin = part.end;
      part.partials = static_cast<std::byte*>(part.partials) + held.kernel->partial_bytes();
    }
  }

  DeviceInfo info_;
  Behaviour behaviour_;
  const VirtualClock& clock_;
  std::deque<Held> held_;
  std::uint64_t launches_ = 0;
};

/// A machine on which Jobs run one after another; rates are remembered between them.
class VirtualMachine {
 public:
  explicit VirtualMachine(const std::vector<Behaviour>& behaviours) : feedback_(behaviours.size()) {
    for (const Behaviour& behaviour : behaviours) {
      devices_.push_back(
          std::make_unique<VirtualDevice>("virtual:" + std::to_string(devices_.size()), behaviour, clock_));
    }
  }

  struct Run {
    std::shared_ptr<Job> job;
    Report report;
    bool ended = false;  ///< false: the guard stopped a run that went on for ever
  };

  /// `cancel_at_s`: after the start, or infinite.
  Run run(JobSpec spec, double cancel_at_s = std::numeric_limits<double>::infinity()) {
    const auto count = static_cast<std::uint32_t>(devices_.size());
    spec.placement.assign(count, 1.0);
    spec.allocate = [this](std::size_t bytes) { return devices_.front()->allocate(bytes); };
    Run run;
    run.job = std::make_shared<Job>(std::move(spec));
    std::vector<std::int64_t> wake_ns(count, clock_.now_ns());
    run.job->on_change = [&] {
      std::replace_if(
          wake_ns.begin(), wake_ns.end(),
          [&](std::int64_t ns) { return ns > clock_.now_ns() && ns != VirtualDevice::never; }, clock_.now_ns());
    };
    std::vector<std::unique_ptr<Worker>> workers;
    for (std::uint32_t i = 0; i < count; ++i) {
      run.job->seat(i).busy_until_ns = clock_.now_ns();
      std::vector<std::uint32_t> distances(count);
      for (std::uint32_t j = 0; j < count; ++j) distances[j] = (j + count - i) % count;
      workers.push_back(
          std::make_unique<Worker>(Worker::Context{run.job, i, *devices_[i], clock_, feedback_[i], distances, false}));
    }
    const std::int64_t begin_ns = clock_.now_ns();
    const std::int64_t cancel_ns =
        std::isfinite(cancel_at_s) ? begin_ns + std::llround(cancel_at_s * 1e9) : VirtualDevice::never;
    constexpr std::uint64_t steps_max = 3'000'000;
    for (std::uint64_t steps = 0; steps < steps_max && !run.ended; ++steps) {
      const auto next = std::min_element(wake_ns.begin(), wake_ns.end());
      // A device that never ends its launch keeps its Worker; the Job is over all the same.
      if (run.job->over() && (*next == VirtualDevice::never || *next > run.job->end_ns())) run.ended = true;
      if (*next == VirtualDevice::never) break;
      clock_.advance_to(std::min(*next, run.job->over() ? *next : std::max(cancel_ns, clock_.now_ns())));
      if (clock_.now_ns() >= cancel_ns) run.job->stop(Stop::cancelled, clock_.now_ns());
      if (clock_.now_ns() < *next) continue;
      const auto index = static_cast<std::size_t>(next - wake_ns.begin());
      const Step step = workers[index]->step();
      wake_ns[index] = next_wake_ns(step, *devices_[index]);
    }
    run.report = run.job->report(begin_ns, clock_.now_ns());
    return run;
  }

 private:
  std::int64_t next_wake_ns(const Step& step, const VirtualDevice& device) const {
    switch (step.wait) {
      case Step::Wait::nothing:
        return clock_.now_ns();
      case Step::Wait::completion:
        return device.next_end_ns();
      case Step::Wait::work:
        return std::max(step.until_ns, clock_.now_ns() + 1);
      case Step::Wait::finished:
        break;
    }
    return VirtualDevice::never;
  }

  VirtualClock clock_;
  std::vector<std::unique_ptr<VirtualDevice>> devices_;
  std::vector<Feedback> feedback_;
};

}  // namespace skua::test
