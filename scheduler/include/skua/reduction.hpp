// Loops and reductions as kernels; and the fixed tree over granules that makes a reduction's bits repeatable.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include <skua/kernel.hpp>
#include <skua/report.hpp>
#include <skua/share.hpp>

namespace skua {

/// The default combination.
struct Plus {
  template <class T>
  SKUA_BODY T operator()(const T& left, const T& right) const {
    return left + right;
  }
};

/// Several sums at once.
template <std::size_t Count>
struct Sums {
  double values[Count]{};  ///< no std::array: GPU compilers want its functions marked

  friend SKUA_BODY Sums operator+(const Sums& left, const Sums& right) {
    Sums sum;
    for (std::size_t i = 0; i < Count; ++i) sum.values[i] = left.values[i] + right.values[i];
    return sum;
  }
};

/// The type in which a reduction over T is carried: double for float, so that large counts of small terms stay exact.
template <class T>
using Carried = std::conditional_t<std::same_as<T, float>, double, T>;

/// What a reduction gives: its value, and who did what.
template <class T>
struct Reduction {
  T value{};
  Report report;

  operator const T&() const noexcept { return value; }
  friend std::ostream& operator<<(std::ostream& stream, const Reduction& reduction) requires
      requires(std::ostream& s, const T& v) {
    s << v;
  }
  { return stream << reduction.value; }
};

/// The results that the granules of a Job left, and which granules there are.
class Partials {
 public:
  struct Piece {
    Interval granules;
    const std::byte* first = nullptr;  ///< result of granules.front
  };

  std::size_t bytes_each = 0;
  std::vector<Piece> pieces;                  ///< in granule order
  std::vector<std::shared_ptr<void>> memory;  ///< what the pieces point into
};

/// parallel_for's kernel.
template <class Body, class Compiler = CompiledBy>
class ForKernel : public Kernel {
 public:
  explicit ForKernel(Body body) : body_(std::move(body)) {}
  void run_on_host(const Chunk& chunk) const override {
    for (std::uint64_t i = chunk.begin; i != chunk.end; ++i) body_(i);
  }

 protected:
  Body body_;
};

/// launch()'s kernel.
template <class Launcher>
class LaunchKernel final : public Kernel {
 public:
  explicit LaunchKernel(Launcher launcher) : launcher_(std::move(launcher)) {}
  Unit unit() const noexcept override { return Unit::chunk; }
  void run_on_host(const Chunk& chunk) const override { launcher_(chunk); }
  bool runs_on_gpu() const noexcept override { return true; }
  void start_on_gpu(const Chunk& chunk, const GpuPart&) const override { launcher_(chunk); }

 private:
  Launcher launcher_;
};

/// parallel_reduce's kernel.
template <class Value, class Body, class Combine, class Compiler = CompiledBy>
class ReduceKernel : public Kernel {
  static_assert(std::is_trivially_copyable_v<Value>, "a reduction's type must be trivially copyable");

 public:
  ReduceKernel(Body body, Combine combine) : body_(std::move(body)), combine_(std::move(combine)) {}
  std::size_t partial_bytes() const noexcept override { return sizeof(Value); }
  /// The chunk is one granule.
  void run_on_host(const Chunk& chunk) const override {
    Value sum = static_cast<Value>(body_(chunk.begin));
    for (std::uint64_t i = chunk.begin + 1; i != chunk.end; ++i) sum = combine_(sum, static_cast<Value>(body_(i)));
    *static_cast<Value*>(chunk.partials) = sum;
  }

 protected:
  Body body_;
  Combine combine_;
};

/// The kernels that Scheduler makes; gpu_loops.hpp adds those of a GPU's compiler.
template <class Compiler>
struct Kernels {
  template <class Body>
  using For = ForKernel<Body, Compiler>;
  template <class Value, class Body, class Combine>
  using Reduce = ReduceKernel<Value, Body, Combine, Compiler>;
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
