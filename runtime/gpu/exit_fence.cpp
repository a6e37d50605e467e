// Fences calls off while the process ends.
#include "exit_fence.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace skua {
namespace {

std::atomic<bool> exit_begun{false};

/// Never destroyed: threads may look at it while the process ends.
struct Watched {
  std::mutex mutex;
  std::vector<ExitFence*> all;
};

Watched& watched() {
  static Watched* const one = new Watched;
  return *one;
}

/// Holds the process's end up until no thread is inside the runtime, but not for one that hangs in there.
void fence_off() {
  constexpr std::chrono::milliseconds patience{200};
  exit_begun.store(true);
  const auto until = std::chrono::steady_clock::now() + patience;
  const std::lock_guard lock(watched().mutex);
  const auto any_inside = [] {
    return std::any_of(watched().all.begin(), watched().all.end(),
                       [](const ExitFence* fence) { return fence->inside(); });
  };
  while (any_inside() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

}  // namespace

void ExitFence::watch_exit() {
  static const int registered = std::atexit(fence_off);
  static_cast<void>(registered);
}

bool ExitFence::ended() noexcept {
  return exit_begun.load();
}

ExitFence::ExitFence() {
  const std::lock_guard lock(watched().mutex);
  watched().all.push_back(this);
}

ExitFence::~ExitFence() {
  // Past the process's end nobody looks any more, and the thread that fences off may hold the lock.
  if (ended()) return;
  const std::lock_guard lock(watched().mutex);
  std::erase(watched().all, this);
}

// The store of inside_ and the load of exit_begun, and fence_off's store and load, are all sequentially consistent:
// at least one of the two threads sees the other.
ExitFence::Stay::Stay(ExitFence& fence) noexcept : fence_(fence) {
  fence_.inside_.store(true);
  allowed_ = !exit_begun.load();
}

ExitFence::Stay::~Stay() {
  fence_.inside_.store(false, std::memory_order_release);
}

}  // namespace skua
