// The Scheduler's inside: one thread a device, and the one Job that they run at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <load/sampler.hpp>
#include <skua/parking.hpp>
#include <skua/scheduler.hpp>
#include <skua/worker.hpp>
#include <trace/trace.hpp>

namespace skua {

/// Everything that the threads use. A thread that a device never lets go of keeps it alive.
struct CrewState {
  struct Member {
    bool inside = false;    ///< runs the current Job; under `mutex`
    bool given_up = false;  ///< did not come back from a Job in time; under `mutex`
    std::vector<std::string> notes;
  };

  SteadyClock clock;
  Topology topology;
  Devices devices;
  std::vector<std::optional<GpuAddress>> addresses;  ///< of the devices that are GPUs, where they are known
  Sampler sampler{clock};
  std::vector<std::vector<std::uint32_t>> distances;
  std::unique_ptr<Trace> trace;
  Parking parking;  ///< where Workers sleep

  std::mutex mutex;
  std::condition_variable changed;  ///< for the thread that waits for the Job
  std::vector<Member> members;
  std::shared_ptr<Job> job;
  std::uint64_t job_number = 0;
  std::atomic<std::uint32_t> inside_count{0};  ///< members inside; written under `mutex`
  bool warm = false;                           ///< whether threads spin between Jobs: all devices are GPUs
  bool stopping = false;
  std::map<std::string, std::vector<std::unique_ptr<Feedback>>> feedback;  ///< by Job name, then device
};

class Scheduler::Crew {
 public:
  Crew(std::unique_ptr<CrewState> state, const SchedulerOptions& options);
  ~Crew();

  Report run(std::uint64_t items, std::shared_ptr<const Kernel> kernel, const JobOptions& options, Partials* partials);
  CrewState& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<Job> make_job(std::uint64_t items, std::shared_ptr<const Kernel> kernel, const JobOptions& options);
  void watch_loads();
  void require_a_device(const JobSpec& spec) const;
  std::vector<Feedback*> feedback_of(const std::string& name);
  std::vector<double> weights_of(const JobSpec& spec, const JobOptions& options);
  std::chrono::nanoseconds stay_awake(const Job& job, std::int64_t begin_ns) const;
  void wait_until_over(Job& job, const JobOptions& options, std::int64_t begin_ns);
  void wait_until_left(Job& job);
  void throw_failure(const Job& job, const Report& report) const;

  std::shared_ptr<CrewState> state_;
  std::chrono::milliseconds patience_;
  std::mutex one_job_;
  std::vector<std::thread> threads_;
};

}  // namespace skua
