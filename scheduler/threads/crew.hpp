// The Scheduler's inside: a thread for each device, and the Job that they run.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include <skua/scheduler.hpp>

#include "crew_state.hpp"
#include "earlier.hpp"
#include "turn.hpp"

namespace skua {

class Scheduler::Crew {
 public:
  /// Fails: InputError, where a trace cannot be written, or the system gives no thread for each device.
  Crew(std::shared_ptr<CrewState> state, const SchedulerOptions& options);
  ~Crew();

  Report run(std::uint64_t items, std::shared_ptr<const Kernel> kernel, const JobOptions& options, Partials* partials);
  const CrewState& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<JobRun> make_job(std::uint64_t items, std::shared_ptr<const Kernel> kernel,
                                   const JobOptions& options);
  /// Devices that were dealt something come first.
  enum class To : std::uint8_t { dealt, all };
  void offer(const std::shared_ptr<JobRun>& job, To whom);
  std::chrono::nanoseconds stay_awake(const JobRun& job, std::int64_t begin_ns);
  std::int64_t when_all_come(const JobRun& job, std::int64_t begin_ns) const;
  void report_progress(JobRun& job, const JobOptions& options, std::int64_t begin_ns);
  void wait_until_over(const std::shared_ptr<JobRun>& job, const JobOptions& options, std::int64_t begin_ns);
  void wait_until_left(JobRun& job);
  void give_up(JobRun& job, const std::vector<std::int64_t>& deadlines_ns, std::int64_t waited_ns);
  void add_notes(Report& report);
  void start_thread(std::uint32_t index);
  void stop_threads() noexcept;
  void leave_threads() noexcept;

  std::shared_ptr<CrewState> state_;
  std::chrono::milliseconds patience_;
  Turns turns_;
  Earlier earlier_;
  std::vector<bool> is_asked_;  ///< the devices to which the Job was offered
  std::int64_t next_progress_ns_ = 0;
  std::uint64_t items_shown_ = 0;  ///< what was told of the Job's progress last
  std::exception_ptr progress_failure_;
  std::vector<std::thread> threads_;
};

}  // namespace skua
