// Calls into the GPU runtime: errors with the name of the call, the calling thread's current device, the process's end.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

#include <skua/gpu_api.hpp>

namespace skua {

using namespace gpu_api;

/// A call into the GPU runtime failed; the message names the call and the runtime's error.
class GpuError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "hipEventRecord: invalid resource handle (hipErrorInvalidHandle)".
std::string describe(const char* call, hipError_t error);

/// Clears the runtime's last error, which would otherwise be found by whoever looks next.
/// Fails: GpuError, when `error` is one.
void require(const char* call, hipError_t error);

/// Makes a GPU the calling thread's current one and gives the caller's own back at the end.
class CurrentGpu {
 public:
  /// Fails: GpuError.
  explicit CurrentGpu(int ordinal);
  ~CurrentGpu();
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int callers_ = -1;
};

/// The process's end, as seen by threads that may then still run. The runtime takes itself down while exit() runs, and
/// a call into it after that may crash; so calls are fenced off before, and what the runtime owns is left to it.
class GpuCalls {
 public:
  /// Called before the first use of the runtime, but after it was loaded: what is registered later runs earlier at
  /// exit.
  static void watch_exit();

  /// One thread's stay inside the runtime.
  class Stay {
   public:
    explicit Stay(GpuCalls& calls) noexcept;
    ~Stay();
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    /// Whether the runtime may be called at all.
    bool allowed() const noexcept { return allowed_; }

   private:
    GpuCalls& calls_;
    bool allowed_;
  };

  /// Whether exit() has begun.
  static bool ended() noexcept;

  GpuCalls();
  ~GpuCalls();
  GpuCalls(const GpuCalls&) = delete;
  GpuCalls& operator=(const GpuCalls&) = delete;

  bool inside() const noexcept { return inside_.load(); }

 private:
  alignas(64) std::atomic<bool> inside_{false};
};

}  // namespace skua
