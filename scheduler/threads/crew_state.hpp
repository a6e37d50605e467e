// What the threads of a Scheduler share.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <skua/backends.hpp>
#include <skua/clock.hpp>
#include <skua/earlier_work.hpp>
#include <skua/topology.hpp>

#include <load/sampler.hpp>
#include <run/job_run.hpp>
#include <trace/trace.hpp>

#include "parking.hpp"

namespace skua {

/// A thread that its device never lets go of keeps it alive.
struct CrewState final : JobListener {
  /// One device and its thread.
  struct Member {
    Parking parking;                      ///< where its thread sleeps
    std::atomic<bool> has_a_part{false};  ///< in a Job; others are left asleep

    std::atomic<bool> is_offered{false};  ///< whether `offered` is set: a look without the mutex

    // Under `mutex`.
    std::shared_ptr<JobRun> offered;         ///< for the thread to take up
    std::shared_ptr<JobRun> inside;          ///< taken up; its caller waits for it
    std::shared_ptr<const JobRun> given_up;  ///< taken up and not finished; nobody waits for it any more
    bool has_ended = false;                  ///< the thread is about to return
    std::vector<std::string> notes;
  };

  CrewState(Devices devices, Topology topology, std::unique_ptr<SteadyClock> clock);

  /// Wakes all that have a part in the Job, and its caller.
  void changed() noexcept override;

  std::unique_ptr<SteadyClock> clock;  ///< that the devices were opened with
  Topology topology;
  Devices devices;
  Nearness nearness;
  RateMemory rates;
  std::vector<std::optional<GpuAddress>> addresses;  ///< of the devices that are GPUs, where they are known
  Sampler sampler;
  std::unique_ptr<Trace> trace;
  std::vector<std::string> notes;  ///< of each Report
  /// Whether callers of short Jobs, and the threads of devices that stay warm, spin: waking them would cost as much.
  bool is_warm = false;
  bool is_warm_device(std::uint32_t index) const noexcept { return is_warm && devices[index]->info().can.stays_warm; }

  /// What the devices that are offered a Job are to wait for. Under `mutex`.
  std::vector<std::shared_ptr<const EarlierWork>> earlier;
  std::deque<Member> members;
  Parking caller;                              ///< where the thread sleeps that waits for the Job
  std::atomic<std::uint32_t> inside_count{0};  ///< members inside; written under `mutex`
  std::atomic<bool> is_stopping{false};
  std::mutex mutex;
};

}  // namespace skua
