// The Report of a JobRun: who did what, and what is not done.
#include <algorithm>
#include <map>
#include <set>

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

/// What is counted is looked at first: a launch that ends in between is then missed, and never counted twice.
std::uint64_t JobRun::items_done() const noexcept {
  const std::uint64_t counted = job_.ledger.items_counted();
  std::uint64_t granules = 0;
  for (const auto& worker : workers_) {
    if (worker != nullptr) granules += worker->granules_not_counted();
  }
  return std::min(items(), counted + granules * job_.granules.granule_items());
}

/// Which devices cannot run the loop, and of what its bits depend.
void JobRun::note_kinds(Report& report) const {
  std::map<std::string, std::string> left_out;
  std::set<std::string> kinds;
  for (std::uint32_t i = 0; i < device_count(); ++i) {
    const Device& device = *devices_[i];
    if (takes_part(i)) {
      kinds.insert(device.info().kind);
    } else if (!device.can_run(*job_.loop.kernel)) {
      std::string& names = left_out[device.why_not(*job_.loop.kernel)];
      names += (names.empty() ? "" : ", ") + device.info().name;
    }
  }
  for (const auto& [why, names] : left_out) {
    report.notes.push_back("device " + names + " took no part in the loop '" + job_.loop.name + "': " + why);
  }
  if (job_.results.bytes_each() == 0 || kinds.size() < 2) return;
  report.notes.push_back(
      "devices of several kinds took part in a reduction: its bits may differ from run to run, and "
      "from those of one kind alone");
}

void JobRun::note_waits(Report& report) const {
  constexpr double worth_a_note_s = 1e-3;
  if (report.waited_s < std::max(worth_a_note_s, 0.02 * report.makespan_s)) return;
  const std::string after = stopped() == Stop::none ? "after all was done" : "after the Job was stopped";
  std::string whom;
  for (const DeviceReport& device : report.devices) {
    if (device.last_end_s > report.makespan_s - report.waited_s / 2) whom += (whom.empty() ? "" : ", ") + device.name;
  }
  const std::string what =
      whom.empty() ? " until the system let all threads of devices go on" : " for what still ran on device " + whom;
  report.notes.push_back("waited " + std::to_string(report.waited_s) + " s " + after + what);
}

void JobRun::note_sleepers(Report& report) const {
  std::string asleep;
  bool any_awake = false;
  for (std::uint32_t i = 0; i < device_count(); ++i) {
    if (!takes_part(i)) continue;
    const bool is_awake = devices_[i]->info().can.stays_warm;
    any_awake = any_awake || is_awake;
    if (is_awake || was_dealt_[i] || report.devices[i].chunks > 0) continue;
    asleep += (asleep.empty() ? "" : ", ") + report.devices[i].name;
  }
  if (asleep.empty() || !any_awake || stopped() != Stop::none) return;
  report.notes.push_back("device " + asleep +
                         " had nothing to do: it would have spared less time than it costs to join");
}

/// Who ran for most of the time what nobody could take a part of, and who had nothing to do meanwhile.
void JobRun::note_single_chunks(Report& report) const {
  constexpr double worth_a_note_s = 1e-3;
  constexpr double much = 0.5;
  constexpr double idle = 0.1;
  if (stopped() != Stop::none || report.makespan_s < worth_a_note_s || !job_.loop.policy->steals()) return;
  const DeviceReport* idlest = nullptr;
  for (std::uint32_t i = 0; i < device_count(); ++i) {
    const DeviceReport& device = report.devices[i];
    if (!takes_part(i) || device.failed || device.idle_s < idle * report.makespan_s) continue;
    if (idlest == nullptr || device.idle_s > idlest->idle_s) idlest = &device;
  }
  if (idlest == nullptr) return;
  std::string whose;
  for (const DeviceReport& device : report.devices) {
    if (&device == idlest || device.chunks != 1 || device.busy_s < much * report.makespan_s) continue;
    whose += (whose.empty() ? "" : ", ") + device.name;
  }
  if (whose.empty()) return;
  const std::string told = std::to_string(job_.loop.filling_items);
  const std::string cure = job_.loop.filling_items > 1 ? "JobOptions::filling_items, " + told + ", may be too much"
                           : report.granule_items > 1  ? "smaller granules (JobOptions::granule_items) may help"
                                                       : "its items may be too dear to share";
  const auto percent = static_cast<int>(100 * idlest->idle_s / report.makespan_s);
  report.notes.push_back("device " + whose + " ran its part as one chunk, of which nobody could take any, and " +
                         idlest->name + " was idle for " + std::to_string(percent) + " % of the time: " + cure);
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
  std::sort(report.not_done.begin(), report.not_done.end(),
            [](const ItemRange& one, const ItemRange& other) { return one.begin < other.begin; });
  note_waits(report);
  note_single_chunks(report);
  note_sleepers(report);
  note_kinds(report);
  report.notes.insert(report.notes.end(), hanging_.begin(), hanging_.end());
  return report;
}

}  // namespace skua
