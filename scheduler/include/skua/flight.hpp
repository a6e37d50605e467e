// One launch of a Job, as the Workers of other devices see it.
//
// ORDERING   state_    generation and phase. Its owner moves it idle -> running -> idle; any other Worker may move it
//                      running -> frozen, once. Whoever moves it away from running decides how the launch is counted,
//                      and a frozen flight is never used again: pointers to it stay good until the Job ends.
//            settled_  of a frozen flight: who sets it first has the right to count its granules. Devices read it to
//            stop
//                      early, so a launch that stopped early finds it set and is not counted.
//            The other fields are written by the owner before its release store of running; a reader takes them as a
//            hint until its own move to frozen, which is of the generation it read, has made them final.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <skua/share.hpp>

namespace skua {

class Flight {
 public:
  /// A forecast end that nobody could give yet.
  static constexpr std::int64_t no_forecast = -1;

  /// What an observer reads before it freezes the flight.
  struct Sighting {
    std::uint64_t state = 0;
    Interval granules;
    std::int64_t begin_ns = 0;
    std::int64_t forecast_end_ns = 0;
  };

  /// Threads: the owner.
  void start(Interval granules, std::int64_t begin_ns, std::int64_t forecast_end_ns) noexcept {
    granules_.store((std::uint64_t{granules.front} << 32) | granules.back, std::memory_order_relaxed);
    begin_ns_.store(begin_ns, std::memory_order_relaxed);
    forecast_end_ns_.store(forecast_end_ns, std::memory_order_relaxed);
    const std::uint64_t generation = (state_.load(std::memory_order_relaxed) >> phase_bits) + 1;
    state_.store((generation << phase_bits) | running, std::memory_order_release);  // pairs with look(), freeze()
  }

  /// What is thought now of the end of a launch that runs.
  /// Threads: the owner.
  void forecast(std::int64_t forecast_end_ns) noexcept {
    forecast_end_ns_.store(forecast_end_ns, std::memory_order_relaxed);
  }

  /// Ends the launch; says whether its granules are to be counted for it.
  /// Threads: the owner.
  bool finish() noexcept {
    std::uint64_t state = state_.load(std::memory_order_relaxed);
    if ((state & phase_mask) == running &&
        state_.compare_exchange_strong(state, (state & ~phase_mask) | idle, std::memory_order_acq_rel)) {
      return true;
    }
    return settle();
  }

  /// Whether the owner may use the flight for another launch.
  /// Threads: the owner.
  bool reusable() const noexcept { return (state_.load(std::memory_order_relaxed) & phase_mask) == idle; }

  /// Threads: any. Fails: nothing when no launch runs that could be frozen.
  std::optional<Sighting> look() const noexcept {
    const std::uint64_t state = state_.load(std::memory_order_acquire);
    if ((state & phase_mask) != running) return std::nullopt;
    const std::uint64_t granules = granules_.load(std::memory_order_relaxed);
    return Sighting{state,
                    {static_cast<std::uint32_t>(granules >> 32), static_cast<std::uint32_t>(granules)},
                    begin_ns_.load(std::memory_order_relaxed),
                    forecast_end_ns_.load(std::memory_order_relaxed)};
  }

  /// Takes the right to be counted away from the owner alone; from now on settle() decides.
  /// Threads: any. Fails: false when the launch seen has ended, or somebody else froze it.
  bool freeze(const Sighting& seen) noexcept {
    std::uint64_t state = seen.state;
    return state_.compare_exchange_strong(state, (state & ~phase_mask) | frozen, std::memory_order_acq_rel);
  }

  /// True for the first who asks, of a frozen flight.
  bool settle() noexcept { return !settled_.exchange(true, std::memory_order_acq_rel); }

  /// Ends a frozen flight for everybody: it will not be counted, but what its owner had done until then may be.
  /// Threads: any.
  void interrupt() noexcept {
    if (settle()) interrupted_.store(true, std::memory_order_release);
  }

  /// Whether it was interrupted, and not replaced by copies.
  bool interrupted() const noexcept { return interrupted_.load(std::memory_order_acquire); }

  bool settled() const noexcept { return settled_.load(std::memory_order_acquire); }

  /// For Chunk::dropped.
  const std::atomic<bool>* dropped() const noexcept { return &settled_; }

 private:
  static constexpr std::uint64_t phase_bits = 2;
  static constexpr std::uint64_t phase_mask = 3;
  static constexpr std::uint64_t idle = 0;
  static constexpr std::uint64_t running = 1;
  static constexpr std::uint64_t frozen = 2;

  std::atomic<std::uint64_t> state_{idle};
  std::atomic<std::uint64_t> granules_{0};
  std::atomic<std::int64_t> begin_ns_{0};
  std::atomic<std::int64_t> forecast_end_ns_{0};
  std::atomic<bool> settled_{false};
  std::atomic<bool> interrupted_{false};
};

}  // namespace skua
