// A machine in virtual time: a clock, devices whose speed and faults are known beforehand, and the loop that steps the
// real Workers over them. One thread; the same seed gives the same run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <skua/feedback.hpp>
#include <skua/job.hpp>
#include <skua/worker.hpp>

namespace skua::test {

inline constexpr std::int64_t never_ns = std::numeric_limits<std::int64_t>::max();
inline constexpr double never_s = std::numeric_limits<double>::infinity();
inline constexpr std::uint64_t no_launch = std::numeric_limits<std::uint64_t>::max();

class VirtualClock final : public Clock {
 public:
  static constexpr std::int64_t start_ns = 1'000'000;
  std::int64_t now_ns() const noexcept override { return now_ns_; }
  double now_s() const noexcept { return static_cast<double>(now_ns_ - start_ns) * 1e-9; }
  void advance_to(std::int64_t ns) noexcept { now_ns_ = ns > now_ns_ ? ns : now_ns_; }
  /// Back from what only one Worker's host side has spent.
  void return_to(std::int64_t ns) noexcept { now_ns_ = ns; }

 private:
  std::int64_t now_ns_ = start_ns;
};

/// From `from_s` (of the machine's time) on, a device runs at `factor` of its rate.
struct SpeedChange {
  double from_s = 0;
  double factor = 1;
};

/// Work in items [begin, end); by default each item is 1.
using Work = std::function<double(std::uint64_t begin, std::uint64_t end)>;

/// How one virtual device behaves. Launches are counted from 0, over all Jobs.
struct Behaviour {
  double work_per_second = 1e6;
  std::vector<SpeedChange> changes;      ///< in order of time
  double launch_s = 12e-6;               ///< between a launch, or the end of the one before, and its begin
  std::optional<double> queued_s;        ///< instead, when the one before still ran at the launch
  double host_s = 0;                     ///< by which a launch keeps its Worker
  std::uint64_t filling_items = 1;       ///< fewer take as long as this many
  double noise = 0;                      ///< a chunk takes up to this part more or less
  double first_chunk_s = 0;              ///< by which the first chunk takes longer
  std::uint64_t hangs_at = no_launch;    ///< this launch and all after it never end
  std::uint64_t refuses_at = no_launch;  ///< this launch and all after it are refused
  std::uint64_t fails_at = no_launch;    ///< this launch ends with a failure
  std::uint64_t lost_at = no_launch;     ///< this launch ends with the loss of the device
  std::uint32_t launches_max = 2;
  bool ends_dropped = false;  ///< a dropped launch ends early
  Work fetch_work;            ///< what fetching the data of these items adds to their work; empty: nothing
  std::uint64_t seed = 0;
};

class VirtualDevice final : public Device {
 public:
  VirtualDevice(std::string name, Behaviour behaviour, Work work, VirtualClock& clock);

  const DeviceInfo& info() const noexcept override { return info_; }
  std::uint64_t filling_items(const Kernel&, std::uint64_t) const override { return behaviour_.filling_items; }
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override;
  std::optional<Completion> poll() override;

  /// Until when the device does anything at all; infinite unless it hangs.
  double alive_until_s() const noexcept { return alive_until_s_; }

  /// When poll() will next find something; never_ns when nothing will end.
  std::int64_t next_end_ns() const;

  const Behaviour& behaviour() const noexcept { return behaviour_; }

 private:
  struct Held {
    const Kernel* kernel;
    Chunk chunk;
    std::uint64_t number;
    std::uint64_t launch;
    std::int64_t begin_ns;
    std::int64_t end_ns;
  };

  bool ends_early(const Held& held) const;
  Completion drop(const Held& held);

  DeviceInfo info_;
  Behaviour behaviour_;
  Work work_;
  VirtualClock& clock_;
  std::deque<Held> held_;
  std::uint64_t launches_ = 0;
  std::int64_t free_ns_ = 0;
  double alive_until_s_ = never_s;
  bool lost_ = false;
};

/// Work that a device of this behaviour does in [from_s, until_s].
double work_between(const Behaviour& behaviour, double from_s, double until_s);
/// The moment at which it has done `work` that it began at from_s; infinite when it never has.
double end_of_work(const Behaviour& behaviour, double from_s, double work);

/// Jobs one after another on the same devices; rates are remembered between them.
class VirtualMachine {
 public:
  explicit VirtualMachine(const std::vector<Behaviour>& behaviours, Work work = {});

  struct Options {
    double cancel_at_s = never_s;   ///< after the start of the Job
    std::vector<double> placement;  ///< empty: even
    double detection_s = 9e-6;      ///< from the end of a launch until its Worker looks
    /// Of each device, the places of all in its order of nearness; empty: counted on from the device itself.
    std::vector<std::vector<std::uint32_t>> distances;
  };

  struct Run {
    std::shared_ptr<Job> job;
    Report report;
    double begin_s = 0;
    bool ended = false;  ///< false: the guard stopped a run that went on for ever
    std::uint64_t steps = 0;
    double longest_idle_s = 0;  ///< of a device that could run, while Shares held a sixteenth of the Job
  };

  Run run(JobSpec spec) { return run(std::move(spec), Options{}); }
  Run run(JobSpec spec, const Options& options);

  /// The least time in which all devices together can do `work` from begin_s on, at the rates they really have.
  double fluid_bound_s(double work, double begin_s = 0) const;

  /// What has been learnt of each device; of all 1 while some are unknown.
  std::vector<double> rates() const;

 private:
  class Driver;

  VirtualClock clock_;
  std::vector<std::unique_ptr<VirtualDevice>> devices_;
  std::vector<Feedback> feedback_;
};

}  // namespace skua::test
