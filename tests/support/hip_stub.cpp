// The stub's state, and what every call has in common.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <thread>

#include "hip_stub_inside.hpp"
#include "hip_stub_kernels.hpp"

namespace hip_stub {
namespace {

// A HIP runtime takes itself down while the process ends; a call after that is a crash.
bool torn_down = false;

bool is_all_done() {
  const std::lock_guard hold(lock);
  return std::all_of(streams().made.begin(), streams().made.end(),
                     [](hipStream_t stream) { return stream->is_done(); });
}

struct TearDown {
  TearDown() {
    std::atexit([] {
      while (kernels().exit_waits && !is_all_done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      torn_down = true;
    });
  }
} tear_down;

}  // namespace

State current;
std::mutex lock;
thread_local int current_device = 0;
thread_local hipError_t last_error = hipSuccess;
thread_local hipStreamCaptureMode capture_mode = hipStreamCaptureModeGlobal;

std::map<void*, std::size_t>& given_out() {
  static auto* const all = new std::map<void*, std::size_t>;
  return *all;
}

hipError_t result(hipError_t error) {
  if (torn_down) {
    std::fputs("hip_stub: a call after the runtime's end\n", stderr);
    _exit(99);
  }
  if (current.context_lost) error = hipErrorIllegalAddress;
  const bool is_real = error != hipSuccess && !(error == hipErrorNotReady && current.version >= version_7);
  if (is_real || current.success_clears_error) last_error = error;
  return error;
}

hipError_t unsafe_result(hipError_t error) {
  if (!current.is_capturing || capture_mode == hipStreamCaptureModeRelaxed) return result(error);
  current.is_capture_spoilt = true;
  return result(hipErrorStreamCaptureUnsupported);
}

void fault() {
  // Where a thread of the runtime's own sees it.
  if (current.version < version_7) std::thread([] { std::abort(); }).join();
  current.context_lost = true;
}

State& state() {
  return current;
}
std::mutex& mutex() {
  return lock;
}

State& reset() {
  const std::lock_guard hold(lock);
  current = State{};
  kernels() = Kernels{};
  streams() = {};
  for (auto& [memory, bytes] : given_out()) bytes = 0;
  current_device = 0;
  last_error = hipSuccess;
  capture_mode = hipStreamCaptureModeGlobal;
  return current;
}

}  // namespace hip_stub
