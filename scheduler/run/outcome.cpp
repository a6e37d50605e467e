// How a JobRun ends: devices that hang, what is said of it afterwards, and how it fails.
#include <algorithm>
#include <exception>

#include <skua/job_errors.hpp>

#include "job_run.hpp"

namespace skua {
namespace {

std::string text_of(const ItemRange& range) {
  return "items [" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

}  // namespace

std::optional<std::int64_t> JobRun::forecast_end_ns() const noexcept {
  return job_.rates.end_ns(job_.left.items_in_shares(), clock_.now_ns());
}

std::optional<std::uint32_t> JobRun::find_hanging(std::int64_t patience_ns) const {
  // A chunk of items that are dear beyond all forecasts is no hang.
  constexpr double forecast_factor = 100;
  std::optional<std::uint32_t> hanging;
  if (!job_.rates.any_measured()) return hanging;
  const std::int64_t now_ns = clock_.now_ns();
  for (std::uint32_t device = 0; device < workers_.size(); ++device) {
    const auto oldest = workers_[device] != nullptr ? workers_[device]->oldest() : std::nullopt;
    if (!oldest) continue;
    if (devices_[device]->info().can.runs_in_poll) return std::nullopt;
    const double forecast_s = job_.rates.seconds(job_.granules.items_in(oldest->granules), device);
    if (now_ns - patience_ns < moment_after(oldest->begin_ns, forecast_factor * forecast_s)) return std::nullopt;
    if (!hanging) hanging = device;
  }
  return hanging;
}

std::int64_t JobRun::deadline_ns(std::uint32_t device, std::int64_t patience_ns) const {
  const std::int64_t now_ns = clock_.now_ns();
  const auto oldest = workers_[device]->oldest();
  if (!oldest) return now_ns + patience_ns;
  // What has taken long already may well take as long again.
  const std::int64_t spent_ns = now_ns - oldest->begin_ns;
  std::int64_t wait_ns = std::max(patience_ns, spent_ns);
  if (job_.rates.any_measured()) {
    const double forecast_s = job_.rates.seconds(job_.granules.items_in(oldest->granules), device);
    wait_ns = std::max(wait_ns, moment_after(oldest->begin_ns, forecast_s) - now_ns + patience_ns);
  }
  return now_ns + wait_ns;
}

void JobRun::give_up(std::uint32_t device) {
  const auto oldest = workers_[device]->oldest();
  const std::string what = oldest ? text_of(job_.granules.range(oldest->granules)) : std::string("something");
  const std::string text = "it does not end " + what + " of the loop '" + job_.loop.name +
                           "': what that loop reads and writes must stay alive until it does";
  job_.ledger.change(device, [&](DeviceReport& account) {
    account.failed = true;
    account.failure = text;
  });
  hanging_.push_back("device " + devices_[device]->info().name + " hangs: " + text);
  given_up_.fetch_add(1);
  all_came_back_->store(false, std::memory_order_release);
}

void JobRun::came_back() noexcept {
  if (given_up_.fetch_sub(1) == 1) all_came_back_->store(true, std::memory_order_release);
}

std::string JobRun::what_hangs() const {
  std::string text;
  for (const std::string& one : hanging_) text += (text.empty() ? "" : "; ") + one;
  return text;
}

/// A Job that was stopped while copies of a late chunk ran: what they have run whole is done, too.
void JobRun::count_what_copies_did() {
  const std::size_t bytes_each = job_.results.bytes_each();
  job_.late.for_each_interrupted([&](const LateChunk& late) {
    late.for_each_piece([&](Interval granules, const LateChunk::Piece& piece) {
      for (const Interval& missing : job_.ledger.not_done(granules)) {
        job_.ledger.count(piece.device, missing, 0);
        if (bytes_each == 0) continue;
        const std::size_t at = piece.at_bytes + (missing.front - piece.granules.front) * bytes_each;
        job_.results.replace(missing, piece.memory.at(at), piece.memory);
      }
    });
  });
}

void JobRun::note_waits(Report& report) const {
  constexpr double worth_a_note_s = 1e-3;
  if (report.waited_s < std::max(worth_a_note_s, 0.02 * report.makespan_s)) return;
  const std::string after = stopped() == Stop::none ? "after all was done" : "after the Job was stopped";
  std::string whom;
  for (const DeviceReport& device : report.devices) {
    if (device.last_end_s > report.makespan_s - report.waited_s / 2) whom += (whom.empty() ? "" : ", ") + device.name;
  }
  if (whom.empty()) whom = "(none: for the system to let its thread go on)";
  report.notes.push_back("waited " + std::to_string(report.waited_s) + " s " + after +
                         " for what still ran on device " + whom);
}

Report JobRun::report(std::int64_t begin_ns, std::int64_t end_ns) {
  if (stopped() != Stop::none) count_what_copies_did();
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(std::max<std::int64_t>(0, ns)) * 1e-9; };
  Report report;
  report.job_name = job_.loop.name;
  report.items = job_.granules.items();
  report.granule_items = job_.granules.granule_items();
  report.policy = job_.loop.policy_name;
  report.makespan_s = seconds(end_ns - begin_ns);
  report.waited_s = job_.is_over() ? std::min(report.makespan_s, seconds(end_ns - job_.end_ns())) : 0;
  report.cancelled = stopped() == Stop::cancelled;
  double rates = 0;
  for (std::uint32_t device = 0; device < device_count(); ++device) {
    DeviceReport account = job_.ledger.account(device);
    account.host_s = std::max(0.0, account.host_s);
    account.idle_s = std::max(0.0, report.makespan_s - account.busy_s);
    account.last_end_s = account.last_end_s > 0 ? account.last_end_s - static_cast<double>(begin_ns) * 1e-9 : 0;
    if (const double rate = job_.rates.measured(device); rate > 0) account.items_per_second = rate;
    if (account.busy_s > 0) rates += static_cast<double>(account.items) / account.busy_s;
    report.items_done += account.items;
    if (account.slow_calls > 0) {
      report.notes.push_back("device " + account.name + ": " + std::to_string(account.slow_calls) +
                             " calls that should return at once took longer than 10 ms");
    }
    report.devices.push_back(std::move(account));
  }
  report.lower_bound_s = rates > 0 ? static_cast<double>(report.items_done) / rates : 0;
  for (const Interval& owned : job_.owned()) {
    for (const Interval& gap : job_.ledger.not_done(owned)) report.not_done.push_back(job_.granules.range(gap));
  }
  note_waits(report);
  report.notes.insert(report.notes.end(), hanging_.begin(), hanging_.end());
  return report;
}

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
