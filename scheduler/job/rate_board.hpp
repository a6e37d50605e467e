// How fast the devices of a Job are, and until when each is busy: the only place that turns work into time.
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
  /// Measured, or else guessed from the others.  Units: work (items of the mean cost) a second.
  double rate(std::uint32_t device) const noexcept {
    const double rate = measured(device);
    return rate > 0 ? rate : entries_[device].guess * guess_worth_.load(std::memory_order_relaxed);
  }
  /// Of the devices that take part.
  double mean_rate() const noexcept { return mean_rate_.load(std::memory_order_relaxed); }
  /// How many of them count: that is, have at least a sixteenth of the rate of the fastest.
  std::uint32_t counting() const noexcept { return counting_.load(std::memory_order_relaxed); }
  /// Of all of them together.
  double live_rate() const noexcept { return live_rate_.load(std::memory_order_relaxed); }

  double seconds(double work, std::uint32_t device) const noexcept { return work / rate(device); }

  /// Until the device is thought to turn to something new: up to its forecast or, when late, as long again as it is
  /// late. So even a single granule is taken from a device that never comes back.
  double seconds_busy(std::uint32_t device, std::int64_t now_ns) const noexcept;

  /// Whether it is later with what it runs than was forecast when that began.
  bool is_overdue(std::uint32_t device, std::int64_t now_ns) const noexcept {
    return now_ns > entries_[device].busy_until_ns.load(std::memory_order_relaxed);
  }
  /// How many items fill the device, as its chunks have shown, or else those of one that is thought to be like it; 1
  /// while nothing is known.
  std::uint64_t filling_items(std::uint32_t device) const noexcept;
  void set_filling_items(std::uint32_t device, std::uint64_t items) noexcept {
    entries_[device].filling_items.store(items, std::memory_order_relaxed);
  }

  /// Whether some chunk took far longer than was forecast.
  bool any_dear() const noexcept { return any_dear_.load(std::memory_order_relaxed); }
  void set_any_dear() noexcept { any_dear_.store(true, std::memory_order_relaxed); }

  /// A launch was of so much work a granule.
  void saw_granules(double work_each) noexcept SKUA_EXCLUDES(mutex_);
  /// The work of the dearest granule that was seen. Of what is seen once only nothing is said: it may be a device's
  /// mood.
  double dearest_granule() const noexcept { return dearest_twice_.load(std::memory_order_relaxed); }

  /// What a copy of so much work that `owner` runs takes, when `device`, and those that run out of work at about the
  /// same time, share it.
  double copy_seconds(double work, std::uint32_t device, std::uint32_t owner, std::int64_t now_ns) const noexcept;

  /// Until all other devices that take part are done with what they run and with so much work, of which `piece` is one
  /// device's at least; infinite when there is none.
  double seconds_without(std::uint32_t device, double work, double piece, std::int64_t now_ns) const noexcept;

  /// When all that is left is thought to be done. Returns nullopt while no rate is known.
  std::optional<std::int64_t> end_ns(double work_left, std::int64_t now_ns) const noexcept;

 private:
  struct Entry {
    std::atomic<double> measured{0};
    std::atomic<std::int64_t> busy_until_ns{0};
    std::atomic<std::uint64_t> filling_items{1};
    std::atomic<bool> retired{false};
    double guess = 1;
  };

  void add_up() SKUA_REQUIRES(mutex_);
  void count_those_that_count() SKUA_REQUIRES(mutex_);

  std::size_t count_;
  std::unique_ptr<Entry[]> entries_;
  Mutex mutex_;  ///< of who adds up
  std::atomic<bool> any_measured_{false};
  std::atomic<bool> any_dear_{false};
  double dearest_once_ SKUA_GUARDED_BY(mutex_) = 0;
  std::atomic<double> dearest_twice_{0};
  std::atomic<double> guess_worth_{1};  ///< items a second for a guess of 1
  std::atomic<double> mean_rate_{1};
  std::atomic<double> live_rate_{0};
  std::atomic<std::uint32_t> live_count_{0};
  std::atomic<std::uint32_t> counting_{1};
};

}  // namespace skua
