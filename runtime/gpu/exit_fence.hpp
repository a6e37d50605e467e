// The process's end, as seen by threads that may then still call the GPU runtime.
#pragma once

#include <atomic>

namespace skua {

/// The runtime takes itself down while exit() runs, and a call into it after that may crash; so calls are fenced off
/// before, and what the runtime owns is left to it.
class ExitFence {
 public:
  /// Called before the first use of the runtime, but after it was loaded: what is registered later runs earlier at
  /// exit.
  static void watch_exit();

  /// A GPU runs something that may never end, as it also may where a fence is busy, or has a thread inside, when exit()
  /// begins. HIP from 6.3 on waits for all that GPUs run, in a handler of its own, while exit() runs; CUDA does not. So
  /// a process that has not ended 5 s after exit() began, its other handlers and destructors run as ever, is then
  /// ended: its standard streams flushed, with its own code. Threads: any.
  static void expect_hang() noexcept;

  /// One thread's stay inside the runtime.
  class Stay {
   public:
    explicit Stay(ExitFence& fence) noexcept;
    ~Stay();
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    /// Whether the runtime may be called at all.
    bool allowed() const noexcept { return allowed_; }

   private:
    ExitFence& fence_;
    bool allowed_;
  };

  /// Whether exit() has begun.
  static bool ended() noexcept;

  ExitFence();
  ~ExitFence();
  ExitFence(const ExitFence&) = delete;
  ExitFence& operator=(const ExitFence&) = delete;

  bool inside() const noexcept { return inside_.load(); }

  /// Whether a GPU runs something, which a process that ends now leaves behind: it may never end.
  void set_busy(bool is_busy) noexcept { is_busy_.store(is_busy, std::memory_order_relaxed); }
  bool is_busy() const noexcept { return is_busy_.load(std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<bool> inside_{false};
  std::atomic<bool> is_busy_{false};
};

}  // namespace skua
