// How a Job can fail. Each error carries the Report of what was done until then.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include <skua/report.hpp>

namespace skua {

/// A Job ended without having done all.
class JobError : public std::runtime_error {
 public:
  JobError(const std::string& message, Report report)
      : std::runtime_error(message), report_(std::make_shared<const Report>(std::move(report))) {}
  /// What was done, and what was not: Report::not_done can be run later.
  const Report& report() const noexcept { return *report_; }

 private:
  std::shared_ptr<const Report> report_;
};

/// A body threw; the message names device and items, std::rethrow_if_nested gives the body's own exception.
class BodyError : public JobError {
 public:
  using JobError::JobError;
};

/// Every device failed before the Job was done; the message names each with its reason.
class DeviceError : public JobError {
 public:
  using JobError::JobError;
};

/// A device does not end what it runs, and the Job could not be done without it. The message names the device and the
/// items: all that the loop's body reads and writes must stay alive until ended() is true, or the process ends.
class DeviceHangs : public JobError {
 public:
  DeviceHangs(const std::string& message, Report report, std::shared_ptr<const std::atomic<bool>> ended)
      : JobError(message, std::move(report)), ended_(std::move(ended)) {}
  /// Whether the device has ended after all what this Job gave it. Threads: any.  Blocks: never.
  bool ended() const noexcept { return ended_->load(std::memory_order_acquire); }

 private:
  std::shared_ptr<const std::atomic<bool>> ended_;
};

}  // namespace skua
