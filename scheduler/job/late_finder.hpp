// What the devices of a Job run at this moment, which of it is late, and who runs a copy of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "flight.hpp"
#include "granules.hpp"
#include "late_chunk.hpp"
#include "mutex.hpp"
#include "rate_board.hpp"
#include "work.hpp"

namespace skua {

/// Threads: any, unless said.
class LateFinder {
 public:
  /// A piece of a late chunk for an idle device.
  struct Piece {
    std::shared_ptr<LateChunk> late;
    Interval granules;
  };

  /// `copies`: whether late chunks may run again. `stops_at_granules`: of each device, whether it can stop inside a
  /// launch of this loop.
  LateFinder(const Granules& granules, const Work& work, const RateBoard& rates, bool copies,
             const std::vector<bool>& stops_at_granules);

  /// A launch of `granules` begins. Returns null once the Job was stopped: then nothing may be launched.
  /// Threads: the device's own; the flight is its own until finish().
  Flight* begin(std::uint32_t device, Interval granules, std::int64_t begin_ns, std::int64_t forecast_end_ns);

  /// A piece of a late chunk for a device that has nothing else to do, if one is worth it.
  /// `overhead_seconds`: what a launch costs the device.
  std::optional<Piece> take(std::uint32_t device, std::int64_t now_ns, double overhead_seconds) SKUA_EXCLUDES(mutex_);

  /// Asks the device that needs longest for what it runs to stop and to give the rest back, if that is worth the while
  /// of `device`, which has nothing else to do, and could not be copied. Returns whether it was asked.
  bool ask_for_rest(std::uint32_t device, std::int64_t now_ns, double overhead_seconds);

  /// The moment from which take() may find something. Returns nullopt when nothing runs elsewhere.
  std::optional<std::int64_t> next_ns(std::uint32_t device, std::int64_t now_ns) const SKUA_EXCLUDES(mutex_);

  /// The Job ends before all is done: nothing more begins, and what runs is interrupted.
  void stop() SKUA_EXCLUDES(mutex_);
  bool is_stopped() const noexcept { return stopped_.load(std::memory_order_acquire); }

  /// Every late chunk that was interrupted: what its copies have run whole may be counted now that nothing runs.
  void for_each_interrupted(const std::function<void(const LateChunk&)>& visit) const SKUA_EXCLUDES(mutex_);

 private:
  struct alignas(64) Flights {
    mutable Mutex mutex;
    bool stop_at_granules = false;
    std::deque<Flight> all SKUA_GUARDED_BY(mutex);  ///< addresses stay
  };
  struct Candidate {
    Flight* flight = nullptr;
    Flight::Sighting seen;
    double seconds_left = 0;
  };

  std::int64_t forecast_end_ns(const Flight::Sighting& seen, std::uint32_t device) const noexcept;
  double copy_seconds(const Flight::Sighting& seen, std::uint32_t device, std::uint32_t owner,
                      std::int64_t now_ns) const noexcept;
  Candidate longest(std::uint32_t device, std::int64_t now_ns);
  Candidate latest(std::uint32_t device, std::int64_t now_ns, double overhead_seconds);
  std::optional<Piece> take_piece(const std::shared_ptr<LateChunk>& late, std::uint32_t device, std::int64_t now_ns,
                                  double overhead_seconds) const;

  const Granules& granules_;
  const Work& work_;
  const RateBoard& rates_;
  const bool copies_;
  std::deque<Flights> flights_;
  std::atomic<bool> stopped_{false};
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<LateChunk>> late_ SKUA_GUARDED_BY(mutex_);
};

}  // namespace skua
