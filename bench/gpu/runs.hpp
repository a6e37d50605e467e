// Runs as they were measured, written down for bench/forecast.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// From `from_s` of the Job on, a device runs at `factor` of its rate.
struct MeasuredChange {
  double from_s = 0;
  double factor = 1;
};

/// A device as it was measured alone, not in the run itself.
struct MeasuredDevice {
  std::string name;
  double items_per_second = 0;
  std::uint64_t filling_items = 1;
  std::vector<MeasuredChange> changes;
};

/// All items lie with the last device, which runs none; a chunk reads its own first.
struct MeasuredTransfer {
  double bytes_per_item = 0;
  double bandwidth_gb_per_s = 0;
};

struct MeasuredRun {
  std::string name;
  std::uint64_t items = 0;
  std::uint64_t granule_items = 1;
  std::string policy = "factoring";
  std::vector<MeasuredDevice> devices;
  std::optional<MeasuredTransfer> transfer;
  double makespan_s = 0;
};

/// JSON of schema skua.bench/1.
/// Fails: std::runtime_error that names the file.
void write_runs(const std::string& path, const std::string& machine, const std::vector<MeasuredRun>& runs);

}  // namespace bench
