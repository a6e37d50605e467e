// The atomics of the lock-free parts, as a parameter: the model checker brings its own.
#pragma once

#include <atomic>

namespace skua {

struct StandardAtomics {
  template <class T>
  using Atomic = std::atomic<T>;
};

}  // namespace skua
