// Loops and reductions as kernels; and the fixed tree over granules that makes a reduction's bits repeatable.
#pragma once

#include <array>
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
  std::array<double, Count> values{};

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

template <class Body>
class ForKernel final : public Kernel {
 public:
  explicit ForKernel(Body body) : body_(std::move(body)) {}
  void run_on_host(const Chunk& chunk) const override {
    for (std::uint64_t i = chunk.begin; i != chunk.end; ++i) body_(i);
  }

 private:
  Body body_;
};

template <class Launcher>
class LaunchKernel final : public Kernel {
 public:
  explicit LaunchKernel(Launcher launcher) : launcher_(std::move(launcher)) {}
  Unit unit() const noexcept override { return Unit::chunk; }
  void run_on_host(const Chunk& chunk) const override { launcher_(chunk); }

 private:
  Launcher launcher_;
};

template <class Value, class Body, class Combine>
class ReduceKernel final : public Kernel {
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

 private:
  Body body_;
  Combine combine_;
};

/// init combined with the pairwise tree over all granules: level by level, neighbours (0,1), (2,3), ... until one is
/// left.
template <class Value, class Combine>
Value combine_partials(const Partials& partials, Value init, Combine combine) {
  std::vector<Value> level;
  for (const Partials::Piece& piece : partials.pieces) {
    const auto* first = reinterpret_cast<const Value*>(piece.first);
    level.insert(level.end(), first, first + piece.granules.size());
  }
  if (level.empty()) return init;
  for (std::size_t size = level.size(); size > 1; size = (size + 1) / 2) {
    for (std::size_t i = 0; i < size / 2; ++i) level[i] = combine(level[2 * i], level[2 * i + 1]);
    if (size % 2 == 1) level[size / 2] = level[size - 1];
  }
  return combine(init, level.front());
}

}  // namespace skua
