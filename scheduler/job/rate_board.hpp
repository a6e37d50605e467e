// How fast the devices of a Job are, and until when each is busy: the only place that turns items into time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mutex.hpp"

namespace skua {

/// The moment that lies `seconds` after `from_ns`; what lies further ahead than some thirty years lies there.
std::int64_t moment_after(std::int64_t from_ns, double seconds) noexcept;

/// What is known of a device when a Job starts.
struct RatedDevice {
  double rate_guess = 1;                   ///< against the other devices
  std::optional<double> items_per_second;  ///< measured in earlier Jobs
  bool takes_part = true;
};

/// Threads: any; what is written of a device is written by its Worker.
class RateBoard {
 public:
  RateBoard(const std::vector<RatedDevice>& devices, std::int64_t now_ns);

  std::uint32_t device_count() const noexcept { return static_cast<std::uint32_t>(count_); }

  void set_measured(std::uint32_t device, double items_per_second) SKUA_EXCLUDES(mutex_);
  void set_busy_until(std::uint32_t device, std::int64_t moment_ns) noexcept {
    entries_[device].busy_until_ns.store(moment_ns, std::memory_order_relaxed);
  }
  /// It takes no part any more.
  void retire(std::uint32_t device) SKUA_EXCLUDES(mutex_);
  bool is_retired(std::uint32_t device) const noexcept {
    return entries_[device].retired.load(std::memory_order_acquire);
  }
  bool all_retired() const noexcept { return live_count_.load(std::memory_order_acquire) == 0; }

  /// 0 while unknown.
  double measured(std::uint32_t device) const noexcept {
    return entries_[device].measured.load(std::memory_order_relaxed);
  }
  bool any_measured() const noexcept { return any_measured_.load(std::memory_order_relaxed); }
  /// Measured, or else guessed from the others.  Units: items a second.
  double rate(std::uint32_t device) const noexcept {
    const double rate = measured(device);
    return rate > 0 ? rate : entries_[device].guess * guess_worth_.load(std::memory_order_relaxed);
  }
  /// Of the devices that take part.
  double mean_rate() const noexcept { return mean_rate_.load(std::memory_order_relaxed); }
  /// Of all of them together.
  double live_rate() const noexcept { return live_rate_.load(std::memory_order_relaxed); }

  double seconds(std::uint64_t items, std::uint32_t device) const noexcept {
    return static_cast<double>(items) / rate(device);
  }

  /// Until the device is thought to turn to something new: up to its forecast or, when late, as long again as it is
  /// late. So even a single granule is taken from a device that never comes back.
  double seconds_busy(std::uint32_t device, std::int64_t now_ns) const noexcept;

  /// What a copy of `items` that `owner` runs takes, when `device`, and those that run out of work at about the same
  /// time, share it.
  double copy_seconds(std::uint64_t items, std::uint32_t device, std::uint32_t owner,
                      std::int64_t now_ns) const noexcept;

  /// When all that is left is thought to be done. Returns nullopt while no rate is known.
  std::optional<std::int64_t> end_ns(std::uint64_t items_left, std::int64_t now_ns) const noexcept;

 private:
  struct Entry {
    std::atomic<double> measured{0};
    std::atomic<std::int64_t> busy_until_ns{0};
    std::atomic<bool> retired{false};
    double guess = 1;
  };

  void add_up() SKUA_REQUIRES(mutex_);

  std::size_t count_;
  std::unique_ptr<Entry[]> entries_;
  Mutex mutex_;  ///< of who adds up
  std::atomic<bool> any_measured_{false};
  std::atomic<double> guess_worth_{1};  ///< items a second for a guess of 1
  std::atomic<double> mean_rate_{1};
  std::atomic<double> live_rate_{0};
  std::atomic<std::uint32_t> live_count_{0};
};

}  // namespace skua
