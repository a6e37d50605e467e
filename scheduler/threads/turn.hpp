// Whose turn it is: one Job after another, and none that would wait for itself.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace skua {

/// Threads: any.
class Turns {
 public:
  Turns();

  /// Fails: std::logic_error in a process that was forked from the one which made this, and inside a body.
  void refuse_where_nothing_runs() const;

  /// Whether the calling thread has the turn.
  bool is_held_here() const noexcept { return holder_.load() == std::this_thread::get_id(); }

  /// Whether this is another process than the one that made it: no thread of it is here.
  bool is_forked() const noexcept;

  /// One Job's turn.
  class Turn {
   public:
    /// Blocks: until the Jobs before it have ended.
    /// Fails: std::logic_error when that would be for ever, since the Job that runs waits for the calling thread: in
    /// its callback, or in a thread or task that its body started.
    explicit Turn(Turns& turns);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Turns& turns_;
  };

 private:
  pid_t process_;
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_{};
};

}  // namespace skua
