// One launch of a Job, as the Workers of other devices see it: who may count its granules.
//
// ORDERING   word_     phase in the high bits, then the generation. All that is decided of a launch is decided here:
//                        idle -> running                 its owner starts it, in a new generation
//                        running -> idle                 its owner ends it, and counts it
//                        running -> frozen               somebody begins to copy it: whoever settles it counts it
//                        frozen -> settled               by the owner or by the copies, whoever is first
//                        running -> asked                others have nothing to do: its owner stops where it is, and
//                                                        counts what its device has run whole
//                        asked -> frozen                 it has not stopped for so long that copies are begun: until
//                                                        one of them is done it may still end as if it had been asked
//                        running, frozen, asked -> interrupted  the Job was stopped: copies count no more, and the
//                        owner
//                                                        counts what its device has run whole
//                      A flight that was frozen, asked or interrupted is never started again, so that pointers to it
//                      stay good until the Job ends. Devices look at the word, too: they stop for settled, interrupted
//                      and asked, which lie above all others.
//            The other fields are written by the owner before its release store of running; a reader takes them as a
//            hint until its own move to frozen, which is of the generation it read, has made them final.
#pragma once

#include <cstdint>
#include <optional>

#include <skua/detail/interval.hpp>
#include <skua/kernel.hpp>

#include "atomics.hpp"

namespace skua {

/// Threads: any, unless said.  Blocks: never.
template <class Atomics = StandardAtomics>
class BasicFlight {
 public:
  /// A forecast end that nobody could give yet.
  static constexpr std::int64_t no_forecast = -1;

  /// What an observer reads before it freezes the flight.
  struct Sighting {
    std::uint64_t word = 0;
    Interval granules;
    std::int64_t begin_ns = 0;
    std::int64_t forecast_end_ns = 0;
    bool is_asked = false;
  };

  /// How the end of a launch is to be counted. counted: by the owner. replaced: not at all, copies were. interrupted:
  /// by the owner, and its device was to stop. Counted is what its device has run whole.
  enum class End : std::uint8_t { counted, replaced, interrupted };

  BasicFlight() noexcept {
    word_.store(0, std::memory_order_relaxed);
    granules_.store(0, std::memory_order_relaxed);
    begin_ns_.store(0, std::memory_order_relaxed);
    forecast_end_ns_.store(0, std::memory_order_relaxed);
  }

  /// Threads: the owner, of a flight that is reusable().
  void start(Interval granules, std::int64_t begin_ns, std::int64_t forecast_end_ns) noexcept {
    granules_.store((std::uint64_t{granules.front} << 32) | granules.back, std::memory_order_relaxed);
    begin_ns_.store(begin_ns, std::memory_order_relaxed);
    forecast_end_ns_.store(forecast_end_ns, std::memory_order_relaxed);
    const std::uint64_t generation = (word_.load(std::memory_order_relaxed) & generation_mask) + 1;
    word_.store(word_of(running, generation), std::memory_order_release);  // pairs with look(), freeze()
  }

  /// What is thought now of the end of a launch that runs.
  /// Threads: the owner.
  void forecast(std::int64_t forecast_end_ns) noexcept {
    forecast_end_ns_.store(forecast_end_ns, std::memory_order_relaxed);
  }

  /// Ends the launch.
  /// Threads: the owner, once for each start().
  End finish() noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint64_t phase = phase_of(word);
      if (phase == interrupted) return End::interrupted;
      if (phase == settled) return End::replaced;
      const std::uint64_t after = phase == running ? idle : phase == asked ? interrupted : settled;
      const std::uint64_t next = word_of(after, word & generation_mask);
      if (word_.compare_exchange_strong(word, next, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return phase == asked ? End::interrupted : End::counted;
      }
    }
  }

  /// Whether the owner may use the flight for another launch.
  /// Threads: the owner.
  bool reusable() const noexcept { return phase_of(word_.load(std::memory_order_relaxed)) == idle; }

  /// Returns nullopt when no launch runs that could be frozen.
  std::optional<Sighting> look() const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    if (phase_of(word) != running && phase_of(word) != asked) return std::nullopt;
    const std::uint64_t granules = granules_.load(std::memory_order_relaxed);
    return Sighting{word,
                    {static_cast<std::uint32_t>(granules >> 32), static_cast<std::uint32_t>(granules)},
                    begin_ns_.load(std::memory_order_relaxed),
                    forecast_end_ns_.load(std::memory_order_relaxed),
                    phase_of(word) == asked};
  }

  /// Takes the right to be counted away from the owner alone; from now on it is for who settles first.
  /// Returns false when the launch seen has ended, or somebody else has decided something of it.
  bool freeze(const Sighting& seen) noexcept {
    std::uint64_t word = seen.word;
    return word_.compare_exchange_strong(word, word_of(frozen, word & generation_mask), std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

  /// Asks the owner to stop where it is, so that others can take the rest.
  /// Returns false when the launch seen has ended, or somebody else has decided something of it.
  bool ask_for_rest(const Sighting& seen) noexcept {
    std::uint64_t word = seen.word;
    return phase_of(word) == running &&
           word_.compare_exchange_strong(word, word_of(asked, word & generation_mask), std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

  /// For copies of a frozen flight that have done all of it: true if they are to be counted.
  bool settle() noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while (phase_of(word) == frozen) {
      const std::uint64_t next = word_of(settled, word & generation_mask);
      if (word_.compare_exchange_strong(word, next, std::memory_order_acq_rel, std::memory_order_acquire)) return true;
    }
    return false;
  }

  /// The Job was stopped. Does nothing to a launch that has ended or was replaced.
  void interrupt() noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while (phase_of(word) == running || phase_of(word) == frozen || phase_of(word) == asked) {
      const std::uint64_t next = word_of(interrupted, word & generation_mask);
      if (word_.compare_exchange_strong(word, next, std::memory_order_acq_rel, std::memory_order_acquire)) return;
    }
  }

  /// Whether it is decided already who counts it.
  bool is_decided() const noexcept {
    const std::uint64_t phase = phase_of(word_.load(std::memory_order_acquire));
    return phase == settled || phase == interrupted;
  }
  bool was_interrupted() const noexcept { return phase_of(word_.load(std::memory_order_acquire)) == interrupted; }
  bool was_asked() const noexcept { return phase_of(word_.load(std::memory_order_acquire)) == asked; }

  /// For Chunk::drop, of the launch and of its copies: once it is decided who counts it, nobody needs to go on, nor
  /// where others ask.
  Drop drop() const noexcept { return {&word_, word_of(settled, 0), word_of(asked, 0)}; }

 private:
  static constexpr unsigned phase_shift = 61;
  static constexpr std::uint64_t generation_mask = (std::uint64_t{1} << phase_shift) - 1;
  static constexpr std::uint64_t idle = 0;
  static constexpr std::uint64_t running = 1;
  static constexpr std::uint64_t frozen = 2;
  static constexpr std::uint64_t settled = 3;
  static constexpr std::uint64_t interrupted = 4;
  static constexpr std::uint64_t asked = 5;

  static constexpr std::uint64_t phase_of(std::uint64_t word) noexcept { return word >> phase_shift; }
  static constexpr std::uint64_t word_of(std::uint64_t phase, std::uint64_t generation) noexcept {
    return (phase << phase_shift) | generation;
  }

  typename Atomics::template Atomic<std::uint64_t> word_;
  typename Atomics::template Atomic<std::uint64_t> granules_;
  typename Atomics::template Atomic<std::int64_t> begin_ns_;
  typename Atomics::template Atomic<std::int64_t> forecast_end_ns_;
};

using Flight = BasicFlight<>;

}  // namespace skua
