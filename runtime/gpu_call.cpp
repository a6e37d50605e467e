// Errors, the current device and the process's end.
#include "gpu_call.hpp"

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
  std::vector<GpuCalls*> all;
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
                       [](const GpuCalls* calls) { return calls->inside(); });
  };
  while (any_inside() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

}  // namespace

std::string describe(const char* call, hipError_t error) {
  return std::string(call) + ": " + hipGetErrorString(error) + " (" + hipGetErrorName(error) + ")";
}

void require(const char* call, hipError_t error) {
  if (error == hipSuccess) return;
  static_cast<void>(hipGetLastError());
  throw GpuError(describe(call, error));
}

CurrentGpu::CurrentGpu(int ordinal) {
  require("hipGetDevice", hipGetDevice(&callers_));
  require("hipSetDevice", hipSetDevice(ordinal));
}

CurrentGpu::~CurrentGpu() {
  if (hipSetDevice(callers_) != hipSuccess) static_cast<void>(hipGetLastError());
}

void GpuCalls::watch_exit() {
  static const int registered = std::atexit(fence_off);
  static_cast<void>(registered);
}

bool GpuCalls::ended() noexcept {
  return exit_begun.load();
}

GpuCalls::GpuCalls() {
  const std::lock_guard lock(watched().mutex);
  watched().all.push_back(this);
}

GpuCalls::~GpuCalls() {
  // Past the process's end nobody looks any more, and the thread that fences off may hold the lock.
  if (ended()) return;
  const std::lock_guard lock(watched().mutex);
  std::erase(watched().all, this);
}

// The store of inside_ and the load of exit_begun, and fence_off's store and load, are all sequentially consistent:
// at least one of the two threads sees the other.
GpuCalls::Stay::Stay(GpuCalls& calls) noexcept : calls_(calls) {
  calls_.inside_.store(true);
  allowed_ = !exit_begun.load();
}

GpuCalls::Stay::~Stay() {
  calls_.inside_.store(false, std::memory_order_release);
}

}  // namespace skua
