// A child process that answers questions, and may hang, abort or crash without harm.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace skua {

/// Threads: one at a time; others may run. A lock that another thread holds when the child starts can make the child
/// hang. The child dies with the thread that started it.
class ChildProcess {
 public:
  /// Calls `work` in a forked child, with its end of a connection. The child has no other open file, leaves no core
  /// file and says nothing on the terminal. Its exit code is 0 when `work` returns and 1 when it throws.
  explicit ChildProcess(const std::function<void(int connection)>& work);
  /// Kills the child.
  /// Blocks: for 100 ms at most; a child deep in a driver may take longer to die, and is left to itself then.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool has_started() const noexcept { return has_started_; }

  /// Returns false when nobody reads it: the child has ended, hangs or was never there. What it wrote before it ended
  /// can still be received.
  /// Blocks: never.
  bool send(char question);

  /// What the child has written since the last call: waits until there is something, `wait` at most. Of a child that
  /// writes without end a part. Nothing comes any more once is_gone() is true.
  std::string receive(std::chrono::milliseconds wait);
  bool is_gone() const noexcept { return connection_ < 0; }

  /// The status that the child has ended with, as waitpid() gives it; 0 when somebody else has collected it.
  /// Returns nullopt when it has not ended at `deadline`, and when it was never there.
  std::optional<int> wait_for_end(std::chrono::steady_clock::time_point deadline);

  /// "by Segmentation fault": how a child that is gone has ended. One that has closed its end and lives is killed.
  /// Blocks: for 100 ms at most.
  std::string end();

 private:
  void hang_up();
  void kill_it();

  int connection_ = -1;
  pid_t child_ = -1;
  bool has_started_ = false;
};

struct IsolatedResult {
  enum class End { completed, killed_at_deadline, died, not_started };
  End end = End::not_started;
  int signal_number = 0;  ///< of a child that died
  std::string output;     ///< everything that the child wrote, also before it died
};

/// Calls `work` in a ChildProcess with the file to write its results to; returns when the child has ended or, killing
/// it, at the deadline.
/// Blocks: until the deadline at most, and 100 ms more when the child does not die at once.
IsolatedResult run_isolated(const std::function<void(int output_file)>& work, std::chrono::milliseconds limit);

/// For the work of a child: writes all of `text`, or ends the process when nobody reads any more.
void write_or_exit(int file, std::string_view text);

}  // namespace skua
