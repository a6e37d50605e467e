// What of a Job is done, each granule counted once; and the account of each device.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <skua/report.hpp>

#include "granules.hpp"
#include "mutex.hpp"

namespace skua {

/// Threads: any.
class Ledger {
 public:
  Ledger(const Granules& granules, const std::vector<std::string>& device_names);

  /// `device` has the right to count `granules`, whose launch ended at end_ns.
  void count(std::uint32_t device, Interval granules, std::int64_t end_ns);

  std::uint32_t granules_counted() const noexcept { return counted_.load(std::memory_order_acquire); }
  std::uint64_t items_counted() const noexcept;
  /// The latest end of a launch that was counted; 0 when there was none.
  std::int64_t latest_end_ns() const noexcept { return latest_end_ns_.load(std::memory_order_acquire); }

  /// Lets `change` change the account of a device, alone.
  template <class Change>
  void change(std::uint32_t device, Change change) {
    Account& account = accounts_[device];
    const Lock lock(account.mutex);
    change(account.report);
  }

  DeviceReport account(std::uint32_t device) const;

  /// In granule order, neighbours of one device joined.
  std::vector<Interval> done() const;
  /// What of `granules` is not done, in order.
  std::vector<Interval> not_done(Interval granules) const;

 private:
  struct alignas(64) Account {
    mutable Mutex mutex;
    DeviceReport report SKUA_GUARDED_BY(mutex);
    std::vector<Interval> done SKUA_GUARDED_BY(mutex);
  };

  const Granules& granules_;
  std::deque<Account> accounts_;
  std::atomic<std::uint32_t> counted_{0};
  std::atomic<std::int64_t> latest_end_ns_{0};
};

}  // namespace skua
