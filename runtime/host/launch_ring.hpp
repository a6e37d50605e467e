// A ring of the launches that a device holds: first in, first out, of fixed size.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

namespace skua {

/// Threads: one.
template <class Launch, std::size_t Capacity>
class LaunchRing {
 public:
  bool empty() const noexcept { return size_ == 0; }
  bool full() const noexcept { return size_ == Capacity; }
  std::size_t size() const noexcept { return size_; }

  void push(Launch launch) {
    assert(!full());
    slots_[(first_ + size_++) % Capacity] = std::move(launch);
  }
  const Launch& oldest() const noexcept {
    assert(!empty());
    return slots_[first_];
  }
  Launch pop() {
    assert(!empty());
    Launch launch = std::move(slots_[first_]);
    first_ = (first_ + 1) % Capacity;
    --size_;
    return launch;
  }

 private:
  std::array<Launch, Capacity> slots_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace skua
