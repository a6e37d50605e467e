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

 private:
  alignas(64) std::atomic<bool> inside_{false};
};

}  // namespace skua
