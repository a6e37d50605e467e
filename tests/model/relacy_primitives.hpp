// Relacy's atomics and mutexes in the shape that BasicShare and BasicParking take theirs.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>

// Last: it defines words of the language anew.
#include <relacy/relacy.hpp>

#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst

namespace skua::model {

inline rl::memory_order order_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return rl::mo_relaxed;
    case std::memory_order_consume:
    case std::memory_order_acquire:
      return rl::mo_acquire;
    case std::memory_order_release:
      return rl::mo_release;
    case std::memory_order_acq_rel:
      return rl::mo_acq_rel;
    case std::memory_order_seq_cst:
      break;
  }
  return rl::mo_seq_cst;
}

template <class T>
class Atomic {
 public:
  T load(std::memory_order order) const { return const_cast<rl::atomic<T>&>(value_).load(order_of(order), $); }
  void store(T value, std::memory_order order) { value_.store(value, order_of(order), $); }
  T fetch_add(T value, std::memory_order order) { return value_.fetch_add(value, order_of(order), $); }
  T fetch_sub(T value, std::memory_order order) { return value_.fetch_sub(value, order_of(order), $); }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) {
    return value_.compare_exchange_weak(expected, desired, order_of(success), $, order_of(failure), $);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
    return value_.compare_exchange_strong(expected, desired, order_of(success), $, order_of(failure), $);
  }

 private:
  rl::atomic<T> value_;
};

class Mutex {
 public:
  void lock() { mutex_.lock($); }
  void unlock() { mutex_.unlock($); }
  rl::mutex& inner() { return mutex_; }

 private:
  rl::mutex mutex_;
};

class Condition {
 public:
  void wait(std::unique_lock<Mutex>& lock) { condition_.wait(lock.mutex()->inner(), $); }
  void notify_all() { condition_.notify_all($); }

 private:
  rl::condition_variable condition_;
};

struct Primitives {
  template <class T>
  using Atomic = model::Atomic<T>;
  using Mutex = model::Mutex;
  using Condition = model::Condition;
};

}  // namespace skua::model
