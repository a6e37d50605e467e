// How a JobRun fails: the exceptions for its caller, and a mistake of our own.
#include <algorithm>
#include <exception>

#include <skua/job_errors.hpp>

#include "job_run.hpp"

namespace skua {

std::string JobRun::check_exactly_once() const {
  std::vector<Interval> owned = job_.owned();
  std::sort(owned.begin(), owned.end(), [](const Interval& a, const Interval& b) { return a.front < b.front; });
  std::uint64_t expected = 0;
  for (const Interval& granules : owned) expected += granules.size();
  std::uint64_t counted = 0;
  std::uint32_t next = 0;
  for (const Interval& granules : job_.ledger.done()) {
    if (granules.front < next) return "granule " + std::to_string(granules.front) + " was counted twice";
    next = granules.back;
    counted += granules.size();
  }
  for (const Interval& granules : owned) {
    const std::vector<Interval> gaps = job_.ledger.not_done(granules);
    if (!gaps.empty()) return "granule " + std::to_string(gaps.front().front) + " was not run";
  }
  return counted == expected ? "" : "granules were counted that the Job never had";
}

void JobRun::throw_failure(const Report& report) const {
  const auto throw_own = [&] {
    if (stopped() == Stop::body_failed) {
      const std::exception_ptr cause = job_.failure();
      try {
        if (cause) std::rethrow_exception(cause);
      } catch (...) {
        std::throw_with_nested(BodyError(job_.failure_message(), report));
      }
      throw BodyError(job_.failure_message(), report);
    }
    if (stopped() == Stop::no_device) {
      std::string message = "every device failed";
      for (const DeviceReport& device : report.devices) {
        if (device.failed) message += "; " + device.failure;
      }
      throw DeviceError(message, report);
    }
    // Whoever hung came back before it was given up.
    if (stopped() == Stop::device_hangs && hanging_.empty()) {
      throw DeviceHangs(job_.failure_message(), report, all_came_back());
    }
  };
  if (stopped() == Stop::none || hanging_.empty()) return throw_own();
  // The caller must not free anything: that is more than why the Job was stopped.
  try {
    throw_own();
  } catch (const JobError& error) {
    std::throw_with_nested(DeviceHangs(what_hangs() + "; before that: " + error.what(), report, all_came_back()));
  }
  throw DeviceHangs(what_hangs(), report, all_came_back());
}

}  // namespace skua
