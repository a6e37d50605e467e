// What a reduction is made of, and what it gives.
#pragma once

#include <concepts>
#include <cstddef>
#include <ostream>
#include <type_traits>

#include <skua/kernel.hpp>
#include <skua/report.hpp>

namespace skua {

/// The default combination.
struct Plus {
  template <class T>
  SKUA_BODY T operator()(const T& left, const T& right) const {
    return left + right;
  }
};

/// A combination that wants its operands in item order, since it is associative but not commutative: a product of
/// matrices, one map after another, the first or the last of several. GPUs take the items of a granule in turns, so
/// they refuse a loop that has one (InputError); what is not marked so is taken to be commutative there.
template <class Combine>
struct Ordered {
  static constexpr bool is_ordered = true;
  Combine combine{};

  template <class T>
  auto operator()(const T& left, const T& right) const {
    return combine(left, right);
  }
};

/// ordered([](const Map& first, const Map& second) { ... })
template <class Combine>
Ordered<Combine> ordered(Combine combine) {
  return {combine};
}

/// Ordered ones, and others that say so of themselves.
template <class Combine>
concept OrderedCombination = requires {
  requires Combine::is_ordered;
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

}  // namespace skua
