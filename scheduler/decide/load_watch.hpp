// What the sensors' readings of a device's GPU mean for a Job: another process that comes or goes, and the occupancy.
#pragma once

#include <cstdint>
#include <optional>

#include <load/sensor.hpp>

namespace skua {

/// A reading is a snapshot, so nothing follows from a single one: two in a row must agree.
/// Threads: one.
class LoadWatch {
 public:
  /// Readings that are not newer than the last one are left out.
  void see(const GpuLoad& load) noexcept;

  /// By how much rates are to be multiplied for what other processes take now, compared with when rates were last set;
  /// once for each change. 1 while nothing is known.
  double take_change() noexcept;

  /// A chunk was measured: its rate holds what others take now.
  void rate_was_measured() noexcept { free_at_rate_ = free_; }

  /// The mean of what this process used of the GPU's wave slots. Returns nullopt when no reading told.
  std::optional<double> own_occupancy() const noexcept;

 private:
  std::optional<std::int64_t> last_at_ns_;
  std::optional<double> last_free_;     ///< of the last reading: the part of the GPU that others leave
  std::optional<double> free_;          ///< what two readings in a row agreed on
  std::optional<double> free_at_rate_;  ///< that when rates were last set
  double occupancy_sum_ = 0;
  unsigned occupancy_count_ = 0;
};

}  // namespace skua
