// The Report of a JobRun: who did what, and what is not done.
#include <algorithm>

#include "job_run.hpp"

namespace skua {

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

}  // namespace skua
