// One run of one loop: its Shares, what is in flight, what is done. What the Workers of a Job have in common.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <skua/chunking.hpp>
#include <skua/flight.hpp>
#include <skua/kernel.hpp>
#include <skua/late_chunks.hpp>
#include <skua/reduction.hpp>
#include <skua/report.hpp>
#include <skua/share.hpp>

namespace skua {

struct JobSpec {
  std::string name = "loop";
  std::uint64_t items = 0;
  std::uint64_t granule_items = 1;
  std::shared_ptr<const Kernel> kernel;
  std::shared_ptr<const ChunkPolicy> policy;
  std::string policy_name;
  bool repeatable = false;        ///< late chunks may run again
  std::vector<double> placement;  ///< weight of each device in the first deal; 0: takes no part
  std::function<std::shared_ptr<void>(std::size_t)> allocate;  ///< memory for granules' results

  std::uint64_t granules() const noexcept { return items / granule_items + (items % granule_items != 0 ? 1 : 0); }
};

/// Why a Job ends before all is done.
enum class Stop : std::uint8_t { none, cancelled, body_failed, no_device };

/// What one device has of a Job. Fields that others read are grouped by who writes them.
struct alignas(64) Seat {
  Share share;  ///< owner and thieves

  // Written by the device's Worker, read by all.
  alignas(64) std::atomic<double> items_per_second{0};  ///< measured; 0 while unknown
  std::atomic<double> rate_guess{1};                    ///< against other devices, before anything is measured
  std::atomic<std::int64_t> busy_until_ns{0};  ///< forecast end of what it runs, or ran last; the start at first
  std::atomic<bool> retired{false};
  std::deque<Flight> flights;  ///< grown only under `mutex`; addresses stay

  // Written under `mutex`.
  mutable std::mutex mutex;
  std::vector<Interval> done;  ///< counted granules, neighbours joined
  DeviceReport account;
};

/// Threads: any, unless said.
class Job {
 public:
  /// Fails: InputError when there are more than 2^31 granules.
  explicit Job(JobSpec spec);

  const JobSpec& spec() const noexcept { return spec_; }
  std::uint32_t granules() const noexcept { return granules_; }
  std::uint32_t device_count() const noexcept { return static_cast<std::uint32_t>(seats_.size()); }
  Seat& seat(std::uint32_t device) { return seats_[device]; }
  const Seat& seat(std::uint32_t device) const { return seats_[device]; }

  std::uint64_t items_in(Interval granules) const noexcept;
  /// The chunk of these granules, with its results in the Job's own memory.
  Chunk chunk(Interval granules, std::uint32_t device) const noexcept;

  // What is left. All by a look at each device: O(devices).
  std::uint64_t items_in_shares() const noexcept;
  /// Rate of a device: measured, or else guessed from the others.  Units: items a second.
  double rate(std::uint32_t device) const noexcept;
  double mean_rate() const noexcept;
  bool any_rate_known() const noexcept;
  /// When all is thought to be done. Fails: nothing while no rate is known.
  std::optional<std::int64_t> forecast_end_ns(std::int64_t now_ns) const noexcept;

  // What is done.
  std::uint64_t items_done() const noexcept;
  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  std::int64_t end_ns() const noexcept { return end_ns_.load(std::memory_order_acquire); }

  /// `device` completed `granules`, and has the right to count them.
  void count(std::uint32_t device, Interval granules, std::int64_t now_ns);
  /// The copies of `late` won: counts them for the devices that ran them.
  void count_copies(const std::shared_ptr<LateChunk>& late, std::int64_t now_ns);

  /// Granules that a failed device gave back.
  void put_orphan(Interval granules);
  Interval take_orphan(std::uint32_t wanted);

  /// A piece of a late chunk for an idle device, if one is worth it.
  struct LatePiece {
    std::shared_ptr<LateChunk> late;
    Interval granules;
  };
  std::optional<LatePiece> take_late(std::uint32_t device, std::int64_t now_ns, double overhead_seconds);
  /// The moment from which take_late may find something; nothing when nothing runs elsewhere.
  std::optional<std::int64_t> next_late_ns(std::uint32_t device, std::int64_t now_ns) const;

  /// Ends the Job: nothing more is started, what runs is not counted. The first reason stays.
  void stop(Stop why, std::int64_t now_ns, std::string message = {}, std::exception_ptr exception = nullptr);
  Stop stopped() const noexcept { return stop_.load(std::memory_order_acquire); }

  /// A device takes no part any more; the last one to do so stops the Job.
  void retire(std::uint32_t device, const std::string& why, std::int64_t now_ns);

  /// Called when the Job is over and when a failed device gave granules back: idle Workers are to look again.
  /// Set before the Job starts. Threads: called by any.
  std::function<void()> on_change;

  // After the end.
  std::string failure_message() const;
  std::exception_ptr failure() const noexcept { return failure_; }
  /// `left_ns`: when the last Worker left; the end of a Job that was stopped, since until then it still ran.
  Report report(std::int64_t begin_ns, std::int64_t left_ns) const;
  Partials partials() const;

  /// What is wrong when a Job that ended by itself did not count every granule once; empty when all is right.
  std::string check_exactly_once() const;

 private:
  std::vector<Interval> done() const;
  double mean_guess_of_known() const noexcept;
  std::int64_t forecast_end_ns(const Flight::Sighting& seen, std::uint32_t device) const noexcept;
  double copy_seconds(Interval granules, std::uint32_t device, std::uint32_t owner, std::int64_t now_ns) const;
  std::optional<LatePiece> take_piece(const std::shared_ptr<LateChunk>& late, std::uint32_t device, std::int64_t now_ns,
                                      double overhead_seconds);
  void finish(std::int64_t now_ns);
  void freeze_all();

  JobSpec spec_;
  std::uint32_t granules_ = 0;
  std::deque<Seat> seats_;
  std::shared_ptr<void> memory_;

  std::atomic<std::uint32_t> completed_{0};
  std::atomic<std::uint32_t> orphan_count_{0};
  std::atomic<Stop> stop_{Stop::none};
  std::atomic<bool> over_{false};
  std::atomic<std::int64_t> end_ns_{0};
  std::atomic<std::int64_t> latest_end_ns_{std::numeric_limits<std::int64_t>::min()};  ///< of what was counted

  mutable std::mutex mutex_;  ///< of what follows
  std::vector<Interval> orphans_;
  std::vector<std::shared_ptr<LateChunk>> late_;
  std::vector<Partials::Piece> copies_;  ///< where the results of copied granules lie
  std::vector<std::shared_ptr<void>> copies_memory_;
  std::string failure_message_;
  std::exception_ptr failure_;
  std::uint32_t more_failures_ = 0;  ///< that came after the first
};

}  // namespace skua
