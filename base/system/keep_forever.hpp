// What a device that never came back may still use.
#pragma once

#include <deque>
#include <mutex>
#include <utility>

namespace skua {

/// Keeps `value` to the end of the process, unreachable and undestroyed.
/// Threads: any.
template <class Value>
void keep_forever(Value value) {
  static std::mutex mutex;
  // Behind a pointer that nobody deletes: destructors at the process's end would come too early for the device.
  static auto* const kept = new std::deque<Value>;
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(value));
}

}  // namespace skua
