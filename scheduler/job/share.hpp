// What one device still owns of a Job, in one 64-bit word.
//
// ORDERING   word_  front in the high half, back in the low half; both move together, by one atomic operation
//            Claim: no granule is given out twice and none is lost, because every successful exchange splits the one
//            interval [front, back) in two, and the word's value says all there is to know. A word that has changed and
//            changed back (ABA) is therefore as good as one that never changed.
//            All exchanges are acq_rel: who takes granules also sees what its last owner wrote before offering them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <skua/detail/interval.hpp>

#include "atomics.hpp"

namespace skua {

/// taken: the interval is the thief's now. empty: nothing was there. lost: somebody else was faster; look again.
enum class StealOutcome { taken, empty, lost };

struct Steal {
  StealOutcome outcome = StealOutcome::empty;
  Interval interval;
};

/// What one device still owns of a Job. A Job has at most 2^31 granules.
/// Threads: any, unless said.  Blocks: never.
template <class Atomics = StandardAtomics>
class BasicShare {
 public:
  static constexpr std::uint64_t granules_max = std::uint64_t{1} << 31;

  using Word = typename Atomics::template Atomic<std::uint64_t>;

  /// The Share whose word is `word`, wherever that lies (Device::share_word); empty at first. The word must outlive it.
  explicit BasicShare(Word& word) noexcept : word_(word) { word_.store(0, std::memory_order_relaxed); }

  /// What is left at this moment; a look, not a claim.
  Interval look() const noexcept { return unpack(word_.load(std::memory_order_acquire)); }

  /// Makes `interval` the Share. Only for a Share that is empty: then nobody else changes it.
  /// Threads: the owner.
  void put(Interval interval) noexcept { word_.store(pack(interval), std::memory_order_release); }

  /// Takes up to `wanted` granules from the front, for the device that owns this Share.
  /// Returns an empty interval when nothing is left.
  Interval take_front(std::uint32_t wanted) noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    for (;;) {
      const Interval left = unpack(word);
      const std::uint32_t taken = std::min(wanted, left.size());
      if (taken == 0) return {};
      const Interval rest{left.front + taken, left.back};
      if (word_.compare_exchange_weak(word, pack(rest), std::memory_order_acq_rel, std::memory_order_acquire)) {
        return {left.front, left.front + taken};
      }
    }
  }

  /// Takes up to `wanted` granules from the back, for a thief. `expected` is what the thief saw when it chose this
  /// victim. Fails: `lost` when the Share is no longer what it saw, `empty` when nothing was there.
  Steal steal_back(Interval expected, std::uint32_t wanted) noexcept {
    const std::uint32_t taken = std::min(wanted, expected.size());
    if (taken == 0) return {};
    std::uint64_t word = pack(expected);
    const Interval rest{expected.front, expected.back - taken};
    if (word_.compare_exchange_strong(word, pack(rest), std::memory_order_acq_rel, std::memory_order_acquire)) {
      return {StealOutcome::taken, {rest.back, expected.back}};
    }
    return {unpack(word).empty() ? StealOutcome::empty : StealOutcome::lost, {}};
  }

 private:
  static std::uint64_t pack(Interval interval) noexcept {
    return (std::uint64_t{interval.front} << 32) | interval.back;
  }
  static Interval unpack(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
  }

  Word& word_;
};

using Share = BasicShare<>;

}  // namespace skua
