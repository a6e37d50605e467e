// One Job over its devices, whoever drives it: threads, actors in simulated time, or a test.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skua/clock.hpp>
#include <skua/detail/partials.hpp>
#include <skua/device.hpp>
#include <skua/job_options.hpp>
#include <skua/report.hpp>

#include <decide/nearness.hpp>
#include <job/job.hpp>
#include <worker/worker.hpp>

#include "rate_memory.hpp"

namespace skua {

/// The devices that a JobRun may use, as whoever drives it sees them. All outlive the JobRun.
struct DeviceSet {
  struct Entry {
    Device& device;
    bool is_free = true;              ///< false: it still runs something of an earlier Job that nobody waits for
    std::function<GpuLoad()> load{};  ///< the sensors' latest of this device; empty where there are none
  };
  std::vector<Entry> entries;
  const Nearness& nearness;
  bool is_traced = false;
};

/// What is to be run.
struct JobRequest {
  std::string name = "loop";
  std::uint64_t items = 0;  ///< of the whole loop
  std::uint64_t granule_items = 1;
  std::uint64_t filling_items = 0;  ///< how many fill a device, as the program says; 0: nothing
  std::optional<Interval> own;      ///< the granules that the Job begins with; nullopt: all of the loop
  std::shared_ptr<const Kernel> kernel;
  std::string policy = "factoring";
  bool repeatable = false;  ///< late chunks may run again
  Placement placement = Placement::by_rate;
  std::vector<double> weights;  ///< of the first deal, one for each device; empty: by `placement`
};

/// Fails: InputError, where what these granules leave (bytes_each) would fill more than 4 GiB.
void check_results(const Granules& granules, Interval own, std::size_t bytes_each);

/// It checks the request, deals the granules, makes a Worker for each device, is handed the ends of launches, stops,
/// and accounts. step() of one device is called by one thread at a time; all else by any, unless said.
class JobRun {
 public:
  /// Fails: InputError for what the request asks; DeviceError when no device can run it; MemoryError.
  JobRun(JobRequest request, const DeviceSet& devices, RateMemory& memory, const Clock& clock, JobListener& listener);
  ~JobRun();
  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;

  /// Whether the device has a part in it: only then it is to be stepped.
  bool takes_part(std::uint32_t device) const noexcept { return workers_[device] != nullptr; }
  std::uint32_t device_count() const noexcept { return job_.device_count(); }
  /// Whether the device was dealt anything at the start; one that was not may still steal.
  bool was_dealt(std::uint32_t device) const noexcept { return was_dealt_[device]; }
  bool all_dealt() const noexcept;

  /// One step of a device: what has ended, then new work. `free_launches`: how many more it may hold.
  /// Blocks: never.  Fails: never; what is thrown in it stops the Job.
  Step step(std::uint32_t device, std::span<const Completion> ended, std::uint32_t free_launches);
  /// Whether the device holds the launch of this number for this Job.
  /// Threads: the one that steps the device.
  bool holds(std::uint32_t device, std::uint64_t launch) const noexcept;
  /// The number of the launch that the device has held longest for this Job.
  /// Threads: the one that steps the device.
  std::optional<std::uint64_t> oldest_launch(std::uint32_t device) const noexcept;
  /// How many launches the device holds for this Job.
  /// Threads: the one that steps the device.
  std::uint32_t launches_held(std::uint32_t device) const noexcept;
  /// A call into the device that should return at once did not.
  void note_slow_call(std::uint32_t device);
  /// CPU time of the thread that drives the device, less what bodies took is counted as the device's host time.
  void add_host_ns(std::uint32_t device, std::int64_t cpu_ns);

  /// Anybody: these granules are completed (a kernel that takes granules itself, say), and `device` counts them.
  void complete(std::uint32_t device, Interval granules, std::int64_t end_ns) {
    job_.complete(device, granules, end_ns);
  }
  /// Takes granules of the same loop in, from elsewhere.
  /// Fails: MemoryError.
  void receive(Interval granules);
  /// Whoever drives it now lets it end (JobListener::may_end).
  void ask_for_end() { job_.end_if_done(clock_.now_ns()); }
  /// Ends the Job early. The first reason stays.
  void stop(Stop why, std::string message = {}, std::exception_ptr exception = nullptr);
  /// Nobody waits any longer for what the device runs: the Report says so.
  void give_up(std::uint32_t device);
  bool has_given_up() const noexcept { return !hanging_.empty(); }
  /// A device that was given up has finished after all.
  void came_back() noexcept;
  /// Whether all devices that were given up have finished after all.
  std::shared_ptr<const std::atomic<bool>> all_came_back() const noexcept { return all_came_back_; }

  bool is_over() const noexcept { return job_.is_over(); }
  Stop stopped() const noexcept { return job_.stopped(); }
  const std::string& name() const noexcept { return job_.loop.name; }
  std::uint64_t items() const noexcept { return job_.granules.items(); }
  /// Those that are counted, and those of launches that run, as far as the devices tell: a look.
  std::uint64_t items_done() const noexcept;
  /// In all Shares.
  std::uint64_t items_left() const noexcept { return job_.left.items_in_shares(); }
  /// When all is thought to be done. Returns nullopt while no rate is known.
  std::optional<std::int64_t> forecast_end_ns() const noexcept;
  /// Stops the Job where a device runs something that is overdue beyond doubt, and no other device has anything to do.
  void stop_if_hanging(std::int64_t patience_ns);
  /// By when the device must have ended what it runs, if it does not hang: `patience_ns` from now, or longer where that
  /// was forecast to take longer, or has taken long already.
  std::int64_t deadline_ns(std::uint32_t device, std::int64_t patience_ns) const;

  // After all devices have finished, or were given up.

  /// What the next Job of the loop is to know: what items cost where they lie, and the devices' rates at such costs.
  void remember();

  /// Who did what from begin_ns, when the Job was asked for, to end_ns, when its caller is let go.
  Report report(std::int64_t begin_ns, std::int64_t end_ns);
  /// The results of the granules that are done.
  Partials partials() const { return job_.results.partials(job_.ledger.done()); }
  /// What is wrong when a Job that ended by itself did not count every granule once; empty when all is right.
  std::string check_exactly_once() const;
  /// Fails: BodyError, DeviceError, DeviceHangs (also for a device that has come back, when it was why the Job was
  /// stopped), as the Job failed; not at all when it did not.
  void throw_failure(const Report& report) const;

  /// What happened on this device since the last call; empty unless traced.
  std::vector<TraceEvent> take_trace(std::uint32_t device);

 private:
  std::optional<std::uint32_t> find_hanging(std::int64_t patience_ns) const;
  std::string what_it_does_not_end(std::uint32_t device) const;
  void count_what_copies_did();
  void note_waits(Report& report) const;
  void note_single_chunks(Report& report) const;
  void note_sleepers(Report& report) const;
  void note_kinds(Report& report) const;
  std::string what_hangs() const;

  const Clock& clock_;
  std::shared_ptr<LoopMemory> memory_;
  std::vector<Device*> devices_;
  Job job_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< null where the device takes no part
  std::vector<bool> was_dealt_;
  std::atomic<std::uint32_t> given_up_{0};
  std::vector<std::string> hanging_;  ///< what was given up, in words; of the thread that waits
  std::shared_ptr<std::atomic<bool>> all_came_back_ = std::make_shared<std::atomic<bool>>(true);
};

}  // namespace skua
