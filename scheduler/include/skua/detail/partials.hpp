// The results that the granules of a loop left, and the fixed tree over them that makes a reduction's bits repeatable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <skua/detail/interval.hpp>

namespace skua {

/// The results that the granules of a Job left, and which granules there are.
struct Partials {
  struct Piece {
    Interval granules;
    const std::byte* first = nullptr;  ///< result of granules.front
  };

  std::size_t bytes_each = 0;
  std::vector<Piece> pieces;                  ///< in granule order
  std::vector<std::shared_ptr<void>> memory;  ///< what the pieces point into
};

/// The pairwise tree over values that come one by one: level by level, neighbours (0,1), (2,3), ... until one is left.
/// Values are gathered in blocks, each a subtree; above those one value a level is held, as a binary counter holds its
/// bits. So nothing is allocated, and memory is read once.
template <class Value, class Combine>
class PairwiseTree {
 public:
  explicit PairwiseTree(Combine combine) : combine_(combine) {}

  void add(const Value& value) {
    block_[block_size_++] = value;
    if (block_size_ == block_max) add_block();
  }

  bool empty() const noexcept { return blocks_ == 0 && block_size_ == 0; }

  /// Fails: must not be empty.
  Value result() {
    const bool rest = block_size_ > 0;
    Value value{};
    if (rest) value = reduce_block();
    bool any = rest;
    // The latest values lie in the lowest levels.
    for (unsigned level = 0; level < levels_max; ++level) {
      if ((blocks_ >> level & 1) == 0) continue;
      value = any ? combine_(levels_[level], value) : levels_[level];
      any = true;
    }
    return value;
  }

 private:
  static constexpr std::uint32_t block_max = 64;
  static constexpr unsigned levels_max = 26;  ///< 2^31 granules in blocks of 2^6

  Value reduce_block() {
    for (std::uint32_t size = block_size_; size > 1; size = (size + 1) / 2) {
      for (std::uint32_t i = 0; i < size / 2; ++i) block_[i] = combine_(block_[2 * i], block_[2 * i + 1]);
      if (size % 2 == 1) block_[size / 2] = block_[size - 1];
    }
    block_size_ = 0;
    return block_[0];
  }

  void add_block() {
    Value value = reduce_block();
    unsigned level = 0;
    for (; (blocks_ >> level & 1) != 0; ++level) value = combine_(levels_[level], value);
    levels_[level] = value;
    ++blocks_;
  }

  Combine combine_;
  std::uint32_t block_size_ = 0;
  std::uint32_t blocks_ = 0;
  Value block_[block_max]{};
  Value levels_[levels_max]{};
};

/// init combined with the pairwise tree over all granules.
template <class Value, class Combine>
Value combine_partials(const Partials& partials, Value init, Combine combine) {
  PairwiseTree<Value, Combine> tree(combine);
  for (const Partials::Piece& piece : partials.pieces) {
    const auto* first = reinterpret_cast<const Value*>(piece.first);
    for (std::uint32_t granule = 0; granule < piece.granules.size(); ++granule) tree.add(first[granule]);
  }
  return tree.empty() ? init : combine(init, tree.result());
}

}  // namespace skua
