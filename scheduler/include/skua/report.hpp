// Who did what in a Job.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace skua {

/// Items [begin, end).
struct ItemRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const ItemRange&) const = default;
};

struct DeviceReport {
  std::string name;
  std::uint64_t items = 0;   ///< counted ones: a dropped copy does not count
  std::uint64_t chunks = 0;  ///< launches that ended, copies too
  double busy_s = 0;         ///< running chunks, dropped ones too
  double idle_s = 0;         ///< the rest of the makespan
  double last_end_s = 0;     ///< when the last chunk that it ran ended, from the call; 0 when it ran none
  std::uint64_t steals = 0;
  std::uint64_t stolen_items = 0;            ///< by this device
  std::uint64_t copies = 0;                  ///< pieces of late chunks run again
  std::optional<std::uint64_t> bytes_moved;  ///< to this device, for its items; nullopt where nobody counts them
  double host_s = 0;                         ///< CPU time of the Worker that was not spent in the body
  /// 0 to 1: the part of the device's threads that the kernel can use, by its registers and memory.
  std::optional<double> occupancy;
  std::optional<std::uint64_t> smallest_chunk_items;  ///< at the end: what fills the device and hides a launch
  std::optional<double> items_per_second;             ///< the measured rate at the end
  std::uint64_t slow_calls = 0;  ///< into the device that should return at once and took longer than 10 ms
  bool failed = false;
  std::string failure;  ///< why, when it failed
};

/// The account of one Job.
struct Report {
  std::string job_name;
  std::uint64_t items = 0;
  std::uint64_t granule_items = 1;
  std::string policy;
  double makespan_s = 0;  ///< what the caller waited for: from the call to its return
  /// The part of the makespan after all was counted (or the Job was stopped): waiting for what still ran, a chunk that
  /// copies had replaced, say. The notes name the devices.
  double waited_s = 0;
  /// Items done over the sum of the devices' rates, each rate being its counted items over its busy time:
  /// the makespan if all had been busy from start to end.
  double lower_bound_s = 0;
  std::uint64_t items_done = 0;
  bool cancelled = false;
  /// In item order; empty unless the Job was cancelled or failed. No granule in here was run whole; those that were
  /// running at that moment may have been run in part.
  std::vector<ItemRange> not_done;
  std::vector<DeviceReport> devices;
  std::vector<std::string> notes;

  /// The caller waited this much longer: for adding up a reduction's granules, say.  Units: seconds.
  void extend(double more_s) noexcept;

  double efficiency() const noexcept;  ///< lower bound / makespan; 1 for a loop without items
  double imbalance() const noexcept;   ///< (longest busy - shortest busy) / mean busy, over devices that did not fail
};

/// The table.
std::string to_text(const Report& report);
std::ostream& operator<<(std::ostream& stream, const Report& report);
/// Schema skua.report/1. `result` is any JSON text ("null" when there is none).
std::string to_json(const Report& report, const std::string& result = "null");
/// Reads what to_json() wrote; `name` is that of the text (a file, say). What an older version did not write keeps its
/// default, and fields that are not known are left out.
/// Fails: InputError that names `name` and the field at fault.
Report report_from_json(const std::string& text, const std::string& name);

}  // namespace skua
