// Chunks that run again because their device is late: idle devices run copies of their granules, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <skua/memory.hpp>

#include "flight.hpp"
#include "mutex.hpp"

namespace skua {

/// One chunk that is being run again. All or nothing: either the original is counted, or the copies of all its
/// granules.
/// Threads: any.
class LateChunk {
 public:
  struct Piece {
    Interval granules;
    std::uint32_t device = 0;
    Memory memory;             ///< where its results lie
    std::size_t at_bytes = 0;  ///< in there, the result of granules.front
  };

  LateChunk(Flight& original, Interval granules);

  Flight& original() const noexcept { return original_; }
  Interval granules() const noexcept { return granules_; }

  /// The next granules to copy, at most `wanted`. When all have been given out and `round_end_ns` has passed without
  /// the whole being done, those that are missing are given out once more: a copy may be late, too.
  Interval take(std::uint32_t wanted, std::int64_t now_ns, std::int64_t round_end_ns) SKUA_EXCLUDES(mutex_);

  /// How many granules this round, or else the next, has yet to give out.
  std::uint32_t left() const SKUA_EXCLUDES(mutex_);

  std::int64_t round_end_ns() const SKUA_EXCLUDES(mutex_);

  /// A device ran a piece whole. Returns true when with it all granules are there and the copies won: they are to be
  /// counted now.
  bool complete(Piece piece) SKUA_EXCLUDES(mutex_);

  /// A device failed at a piece: it may be given out again at once.
  void abandon() SKUA_EXCLUDES(mutex_);

  /// The granules that copies have run, each once, by the piece that was first to have it.
  /// `visit` is given a run of granules and the piece.
  void for_each_piece(const std::function<void(Interval, const Piece&)>& visit) const SKUA_EXCLUDES(mutex_);

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  Flight& original_;
  const Interval granules_;
  mutable Mutex mutex_;
  Interval remaining_ SKUA_GUARDED_BY(mutex_);
  std::int64_t round_end_ns_ SKUA_GUARDED_BY(mutex_) = 0;
  std::vector<Piece> pieces_ SKUA_GUARDED_BY(mutex_);
  std::vector<std::uint32_t> piece_of_granule_ SKUA_GUARDED_BY(mutex_);
  std::uint32_t missing_ SKUA_GUARDED_BY(mutex_);
};

}  // namespace skua
