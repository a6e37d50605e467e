// Fences calls off while the process ends.
#include "exit_fence.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

#include <system/skua_thread.hpp>

namespace skua {
namespace {

std::atomic<bool> exit_begun{false};
std::atomic<bool> expects_hang{false};

/// Never destroyed: threads may look at it while the process ends.
struct Watched {
  std::mutex mutex;
  std::vector<ExitFence*> all;
};

Watched& watched() {
  static Watched* const one = new Watched;
  return *one;
}

#if defined(SKUA_GPU_HIP)
/// The thread that runs exit() would wait in the runtime for ever: it flushes nothing any more.
void end_process(int code) {
  std::fputs("skua: the GPU runtime waits for a GPU that hangs; the process is ended without it\n", stderr);
  for (std::ostream* const stream : {&std::cout, &std::clog, &std::cerr}) stream->flush();
  std::fflush(nullptr);
  _exit(code);
}

/// As long as it takes programs to run their own handlers and destructors, and people to wait.
void end_process_soon(int code) noexcept {
  constexpr std::chrono::seconds patience{5};
  try {
    const SignalsBlocked blocked;
    std::thread([=] {
      std::this_thread::sleep_for(patience);
      end_process(code);
    }).detach();
  } catch (const std::exception&) {
    // No thread is to be had. The runtime may yet be an older one, which waits for nothing.
  }
}
#else
void end_process_soon(int) noexcept {}
#endif

/// Holds the process's end up until no thread is inside the runtime, but not for one that hangs in there.
/// Returns whether the GPUs are left at rest.
bool fence_off() {
  constexpr std::chrono::milliseconds patience{200};
  exit_begun.store(true);
  const auto until = std::chrono::steady_clock::now() + patience;
  const std::lock_guard lock(watched().mutex);
  const auto any_inside = [] {
    return std::any_of(watched().all.begin(), watched().all.end(),
                       [](const ExitFence* fence) { return fence->inside(); });
  };
  while (any_inside() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  return std::none_of(watched().all.begin(), watched().all.end(),
                      [](const ExitFence* fence) { return fence->inside() || fence->is_busy(); });
}

}  // namespace

void ExitFence::watch_exit() {
  static const int registered = on_exit(
      [](int code, void*) {
        const bool are_at_rest = fence_off();
        if (!are_at_rest || expects_hang.load()) end_process_soon(code);
      },
      nullptr);
  static_cast<void>(registered);
}

void ExitFence::expect_hang() noexcept {
  expects_hang.store(true);
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
