// The host side of one device: the Jobs that it has a part in, and the ends of its launches handed out to them.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/clock.hpp>
#include <skua/device.hpp>

#include "job_run.hpp"

namespace skua {

/// Threads: one, the device's own.
class WorkerList {
 public:
  WorkerList(Device& device, std::uint32_t index, const Clock& clock) : device_(device), index_(index), clock_(clock) {}

  void add(std::shared_ptr<JobRun> job) { jobs_.push_back(std::move(job)); }
  bool empty() const noexcept { return jobs_.empty(); }
  const std::vector<std::shared_ptr<JobRun>>& jobs() const noexcept { return jobs_; }

  /// Asks the device for an end, steps all Jobs, the oldest first, and takes out those that have finished here.
  /// What it says is what the device waits for; finished when there is no Job left.
  /// Blocks: never waits (but see Device::poll).  Fails: never.
  Step step();

  /// The Jobs that step() has taken out since the last call.
  std::vector<std::shared_ptr<JobRun>> take_finished();

 private:
  std::optional<Completion> poll();
  std::optional<Completion> end_of_a_poll_that_threw(const std::string& what, std::exception_ptr exception);
  std::uint32_t launches_held() const noexcept;

  Device& device_;
  std::uint32_t index_;
  const Clock& clock_;
  std::vector<std::shared_ptr<JobRun>> jobs_;
  std::vector<std::shared_ptr<JobRun>> finished_;
};

}  // namespace skua
