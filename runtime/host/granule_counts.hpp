// How far a host device has come with the chunk that it runs, for others to look at.
//
// ORDERING   launch_  number of the launch that runs, 0 between launches. Stored with release, so that who reads 0, or
//                     the next number, in a second look knows that what it read in between may be of another launch.
//            done     of one core: written by that core alone, with release: who reads a value of a later launch finds
//                     launch_ changed. begin() empties them while launch_ is 0.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace skua {

/// Granules of one launch that are done, counted by each core in a cache line of its own.
class GranuleCounts {
 public:
  /// What one core has done. Threads: that core's.
  class alignas(64) Core {
   public:
    void add(std::uint64_t granules) noexcept {
      done_.store(done_.load(std::memory_order_relaxed) + granules, std::memory_order_release);
    }

   private:
    friend class GranuleCounts;
    std::atomic<std::uint64_t> done_{0};
  };

  explicit GranuleCounts(unsigned cores) : cores_(cores) {}

  /// Threads: the device's own, when no core runs anything.
  void begin(std::uint64_t launch) noexcept {
    for (Core& core : cores_) core.done_.store(0, std::memory_order_release);
    launch_.store(launch, std::memory_order_release);
  }
  void end() noexcept { launch_.store(0, std::memory_order_release); }

  Core& of_core(std::size_t core) noexcept { return cores_[core % cores_.size()]; }

  /// Of this launch; 0 when another one runs, or none.
  /// Threads: any.  Blocks: never.
  std::uint64_t done(std::uint64_t launch) const noexcept {
    if (launch_.load(std::memory_order_acquire) != launch) return 0;
    std::uint64_t done = 0;
    for (const Core& core : cores_) done += core.done_.load(std::memory_order_acquire);
    return launch_.load(std::memory_order_relaxed) == launch ? done : 0;
  }

 private:
  std::vector<Core> cores_;
  std::atomic<std::uint64_t> launch_{0};
};

}  // namespace skua
