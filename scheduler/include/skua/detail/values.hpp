// How the values of reductions are converted, combined and kept: large ones off every stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace skua {

/// Whether a reduction may carry in `Value` what a body or a combination gives as `Result`: no fraction in a whole
/// number, and no number in a smaller type than its own, but for what C++ itself widens to int. Signed and unsigned
/// ones pass for one another; types of the caller's own convert as they say.
template <class Value, class Result>
constexpr bool keeps() noexcept {
  if constexpr (!std::is_arithmetic_v<Value> || !std::is_arithmetic_v<Result>) {
    return true;
  } else if constexpr (std::is_floating_point_v<Result>) {
    return std::is_floating_point_v<Value> && sizeof(Result) <= sizeof(Value);
  } else {
    return std::is_floating_point_v<Value> || sizeof(Result) <= sizeof(Value) || sizeof(Result) <= sizeof(int);
  }
}

template <class Value, class Body>
inline constexpr bool keeps_body = keeps<Value, std::decay_t<std::invoke_result_t<const Body&, std::uint64_t>>>();
template <class Value, class Combine>
inline constexpr bool keeps_combination =
    keeps<Value, std::decay_t<std::invoke_result_t<const Combine&, Value&, Value>>>();

/// A combination may need several values at once: such ones would fill the stack of a thread.
template <class Value>
inline constexpr bool is_large = sizeof(Value) > 1024;

/// Combines values where they lie. A large one goes from the body's or the combination's return straight into memory of
/// the Combiner's own.
/// Threads: one.
template <class Value, class Combine>
class Combiner {
 public:
  explicit Combiner(const Combine& combine) : combine_(combine) {
    if constexpr (is_large<Value>) memory_.reset(new std::byte[2 * sizeof(Value)]);
  }

  /// to = left combined with right, either of which may be `to`.
  void combine(Value& to, const Value& left, const Value& right) const {
    if constexpr (is_large<Value>) {
      const Value* const made = ::new (memory_.get()) Value(static_cast<Value>(combine_(left, right)));
      std::memcpy(static_cast<void*>(&to), made, sizeof(Value));
    } else {
      to = static_cast<Value>(combine_(left, right));
    }
  }

  /// sum = sum combined with body(item), for values that are large.
  template <class Body>
  void add(Value& sum, const Body& body, std::uint64_t item) const {
    combine(sum, sum, *::new (memory_.get() + sizeof(Value)) Value(static_cast<Value>(body(item))));
  }

 private:
  const Combine combine_;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace skua
