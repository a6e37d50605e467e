// Copies of late chunks.
#include "late_chunk.hpp"

#include <algorithm>

namespace skua {

LateChunk::LateChunk(Flight& original, Interval granules)
    : original_(original),
      granules_(granules),
      remaining_(granules),
      piece_of_granule_(granules.size(), nobody),
      missing_(granules.size()) {}

Interval LateChunk::take(std::uint32_t wanted, std::int64_t now_ns, std::int64_t round_end_ns) {
  const Lock lock(mutex_);
  if (missing_ == 0 || original_.is_decided()) return {};
  if (remaining_.empty() && now_ns >= round_end_ns_) remaining_ = granules_;
  // Granules that some copy has done already need no other.
  while (!remaining_.empty() && piece_of_granule_[remaining_.front - granules_.front] != nobody) ++remaining_.front;
  const std::uint32_t taken = std::min(std::max<std::uint32_t>(wanted, 1), remaining_.size());
  if (taken == 0) return {};
  const Interval piece{remaining_.front, remaining_.front + taken};
  remaining_.front = piece.back;
  round_end_ns_ = std::max(round_end_ns_, round_end_ns);
  return piece;
}

std::uint32_t LateChunk::left() const {
  const Lock lock(mutex_);
  return remaining_.empty() ? missing_ : remaining_.size();
}

std::int64_t LateChunk::round_end_ns() const {
  const Lock lock(mutex_);
  return remaining_.empty() ? round_end_ns_ : 0;
}

bool LateChunk::complete(Piece piece) {
  const Lock lock(mutex_);
  const auto index = static_cast<std::uint32_t>(pieces_.size());
  for (std::uint32_t granule = piece.granules.front; granule != piece.granules.back; ++granule) {
    std::uint32_t& owner = piece_of_granule_[granule - granules_.front];
    if (owner != nobody) continue;
    owner = index;
    --missing_;
  }
  pieces_.push_back(std::move(piece));
  return missing_ == 0 && original_.settle();
}

void LateChunk::abandon() {
  const Lock lock(mutex_);
  round_end_ns_ = 0;
}

void LateChunk::for_each_piece(const std::function<void(Interval, const Piece&)>& visit) const {
  const Lock lock(mutex_);
  std::uint32_t begin = 0;
  while (begin < piece_of_granule_.size()) {
    const std::uint32_t owner = piece_of_granule_[begin];
    std::uint32_t end = begin;
    while (end < piece_of_granule_.size() && piece_of_granule_[end] == owner) ++end;
    if (owner != nobody) visit({granules_.front + begin, granules_.front + end}, pieces_.at(owner));
    begin = end;
  }
}

}  // namespace skua
