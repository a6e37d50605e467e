// One run of one loop: its parts together, and what concerns more than one of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <skua/kernel.hpp>
#include <skua/policy.hpp>

#include "late_finder.hpp"
#include "ledger.hpp"
#include "rate_board.hpp"
#include "results.hpp"
#include "work.hpp"
#include "work_left.hpp"

namespace skua {

/// Why a Job ends before all is done.
enum class Stop : std::uint8_t { none, cancelled, body_failed, no_device, device_hangs };

/// Who drives a Job. Called from outside all locks of the Job.
/// Threads: called by any.
class JobListener {
 public:
  virtual ~JobListener() = default;
  /// Whoever waits is to look again: the Job is over, granules lie free, or what somebody runs is not wanted any more.
  virtual void changed() noexcept = 0;
  /// All granules that the Job has are counted. False where it may receive more: then it ends when this is asked again
  /// (JobRun::ask_for_end), or what it receives is done.
  virtual bool may_end() { return true; }
};

/// The loop that a Job runs, or a part of it.
struct Loop {
  std::string name = "loop";
  Granules granules{0, 1};
  std::uint64_t filling_items = 0;  ///< how many fill a device, as the program says; 0: nothing
  Interval own;                     ///< what the Job begins with, of all granules
  std::shared_ptr<const Kernel> kernel;
  std::shared_ptr<const ChunkPolicy> policy;
  std::string policy_name;
  bool repeatable = false;  ///< late chunks may run again
  PlaceCosts costs;         ///< as earlier Jobs of it have shown
  bool is_new = false;      ///< nothing is known of it
  bool is_doubted = false;  ///< what is known of it is of another number of items: it may be another loop
};

/// What a Job is told of one of its devices.
struct JobDevice {
  std::string name;
  RatedDevice rated;
  Interval share;                  ///< what it is dealt
  bool stops_at_granules = false;  ///< in launches of this loop
  WorkLeft::Word word;
};

/// All that a Job is made of.
struct JobParts {
  Loop loop;
  std::vector<JobDevice> devices;
};

/// Workers use the parts directly; each has a lock of its own, or none (LOCK ORDER in mutex.hpp).
/// Threads: any.
class Job {
 public:
  Job(JobParts parts, std::int64_t now_ns, JobListener& listener);

  const Loop loop;
  const Granules& granules;
  const Work work;
  WorkLeft left;
  RateBoard rates;
  Ledger ledger;
  LateFinder late;
  Results results;

  std::uint32_t device_count() const noexcept { return rates.device_count(); }
  /// The chunk of these granules, with its results in the Job's own memory.
  Chunk chunk(Interval granules, std::uint32_t device) const;

  /// `device` completed `granules`, and has the right to count them.
  void complete(std::uint32_t device, Interval granules, std::int64_t end_ns);
  /// The copies of `late` won: counts them for the devices that ran them.
  void complete_copies(const LateChunk& late, std::int64_t end_ns);
  /// New granules of the same loop, with memory for their results where there are any.
  void receive(Interval granules, Memory results_memory);
  /// Granules that nobody runs any more go to whoever is idle.
  void give_back(Interval granules);
  /// The device takes no part any more; the last one to go stops the Job.
  void retire(std::uint32_t device, const std::string& why, std::int64_t now_ns);
  /// Ends the Job: nothing more is started, and what runs is to stop. The first reason stays.
  void stop(Stop why, std::int64_t now_ns, std::string message = {}, std::exception_ptr exception = nullptr);
  /// Ends it, if all that it has is counted and the listener lets it end.
  void end_if_done(std::int64_t now_ns);

  bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }
  Stop stopped() const noexcept { return stop_.load(std::memory_order_acquire); }
  std::int64_t end_ns() const noexcept { return end_ns_.load(std::memory_order_acquire); }
  std::string failure_message() const SKUA_EXCLUDES(mutex_);
  std::exception_ptr failure() const SKUA_EXCLUDES(mutex_);
  /// What the Job began with, and what it has received.
  std::vector<Interval> owned() const SKUA_EXCLUDES(mutex_);

  void tell() const noexcept { listener_.changed(); }

 private:
  void finish(std::int64_t now_ns);

  JobListener& listener_;
  std::atomic<std::uint32_t> granules_owned_;
  std::atomic<Stop> stop_{Stop::none};
  std::atomic<bool> over_{false};
  std::atomic<std::int64_t> end_ns_{0};
  mutable Mutex mutex_;
  std::vector<Interval> owned_ SKUA_GUARDED_BY(mutex_);
  std::string failure_message_ SKUA_GUARDED_BY(mutex_);
  std::exception_ptr failure_ SKUA_GUARDED_BY(mutex_);
  std::uint32_t more_failures_ SKUA_GUARDED_BY(mutex_) = 0;  ///< that came after the first
};

}  // namespace skua
