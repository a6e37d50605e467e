// Where threads sleep that have nothing to do, so that no wake-up is missed.
//
// ORDERING   epoch_     counts notifications          written by notifiers, read by sleepers
//            sleepers_  threads inside wait()         written by sleepers, read by notifiers
//            A sleeper takes a ticket (the epoch), then looks for work, then waits. It adds itself to sleepers_ before
//            it looks at epoch_ again; a notifier moves epoch_ before it looks at sleepers_. All four are seq_cst, so
//            at least one sees the other (Dekker): either the sleeper sees the new epoch and does not sleep, or the
//            notifier sees the sleeper and wakes it. The mutex closes the gap between the sleeper's last look and its
//            sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace skua {

struct StandardParkingPrimitives {
  template <class T>
  using Atomic = std::atomic<T>;
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
};

/// Threads: any.
template <class Primitives = StandardParkingPrimitives>
class BasicParking {
 public:
  using Ticket = std::uint64_t;

  BasicParking() noexcept {
    epoch_.store(0, std::memory_order_relaxed);
    sleepers_.store(0, std::memory_order_relaxed);
  }

  /// To be taken before the last look for work.
  Ticket ticket() noexcept { return epoch_.load(std::memory_order_seq_cst); }

  /// Sleeps until someone notifies after `ticket` was taken; `sleep(condition, lock)` waits once and says whether to go
  /// on. Blocks: yes.
  template <class Sleep>
  void wait_with(Ticket ticket, Sleep sleep) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    {
      std::unique_lock<typename Primitives::Mutex> lock(mutex_);
      while (epoch_.load(std::memory_order_seq_cst) == ticket) {
        if (!sleep(condition_, lock)) break;
      }
    }
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  }

  void wait(Ticket ticket) {
    wait_with(ticket, [](auto& condition, auto& lock) {
      condition.wait(lock);
      return true;
    });
  }

  void wait_until(Ticket ticket, std::chrono::steady_clock::time_point deadline) {
    wait_with(ticket, [deadline](auto& condition, auto& lock) {
      return condition.wait_until(lock, deadline) == std::cv_status::no_timeout;
    });
  }

  /// Wakes all who wait with an older ticket. Costs two atomics when nobody sleeps.
  void notify_all() {
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
    { const std::lock_guard<typename Primitives::Mutex> lock(mutex_); }
    condition_.notify_all();
  }

 private:
  typename Primitives::template Atomic<std::uint64_t> epoch_;
  typename Primitives::template Atomic<std::uint32_t> sleepers_;
  typename Primitives::Mutex mutex_;
  typename Primitives::Condition condition_;
};

using Parking = BasicParking<>;

}  // namespace skua
