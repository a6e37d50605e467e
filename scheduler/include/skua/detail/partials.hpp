// The results that the granules of a loop left, and the fixed tree over them that makes a reduction's bits repeatable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <skua/detail/interval.hpp>
#include <skua/detail/values.hpp>

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
/// bits. So memory is read once, and little is held, none of it on a stack.
template <class Value, class Combine>
class PairwiseTree {
 public:
  explicit PairwiseTree(const Combine& combine) : combiner_(combine) {}

  void add(const Value& value) {
    block_[block_size_++] = value;
    if (block_size_ == block_max) add_block();
  }

  bool empty() const noexcept { return blocks_ == 0 && block_size_ == 0; }

  /// Good as long as the tree is; nothing can be added any more.
  /// Fails: must not be empty.
  const Value& result() {
    bool any = block_size_ > 0;
    reduce_block();
    Value& value = block_[0];
    // The latest values lie in the lowest levels.
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if ((blocks_ >> level & 1) == 0) continue;
      if (any) {
        combiner_.combine(value, levels_[level], value);
      } else {
        value = levels_[level];
      }
      any = true;
    }
    return value;
  }

 private:
  static constexpr std::uint32_t block_max = is_large<Value> ? 1 : 64;

  /// Into block_[0].
  void reduce_block() {
    for (std::uint32_t size = block_size_; size > 1; size = (size + 1) / 2) {
      for (std::uint32_t i = 0; i < size / 2; ++i) combiner_.combine(block_[i], block_[2 * i], block_[2 * i + 1]);
      if (size % 2 == 1) block_[size / 2] = block_[size - 1];
    }
    block_size_ = 0;
  }

  void add_block() {
    reduce_block();
    std::size_t level = 0;
    for (; (blocks_ >> level & 1) != 0; ++level) combiner_.combine(block_[0], levels_[level], block_[0]);
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level] = block_[0];
    ++blocks_;
  }

  Combiner<Value, Combine> combiner_;
  std::uint32_t block_size_ = 0;
  std::uint64_t blocks_ = 0;
  std::unique_ptr<Value[]> block_ = std::make_unique<Value[]>(block_max);
  std::deque<Value> levels_;
};

/// init combined with the pairwise tree over all granules.
template <class Value, class Combine>
Value combine_partials(const Partials& partials, const Value& init, const Combine& combine) {
  PairwiseTree<Value, Combine> tree(combine);
  for (const Partials::Piece& piece : partials.pieces) {
    const auto* first = reinterpret_cast<const Value*>(piece.first);
    for (std::uint32_t granule = 0; granule < piece.granules.size(); ++granule) tree.add(first[granule]);
  }
  if (tree.empty()) return init;
  return static_cast<Value>(combine(init, tree.result()));
}

}  // namespace skua
