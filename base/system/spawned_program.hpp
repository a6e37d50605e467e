// A program of skua's own that answers questions, and may hang, abort or crash without harm.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skua {

/// Started by posix_spawn(): nothing of this process is copied, no handler of pthread_atfork() runs, and no lock that
/// another thread holds goes with it. So it may be started beside MPI and beside a GPU runtime.
/// Threads: one at a time.
class SpawnedProgram {
 public:
  /// The file at which the program finds its end of the connection.
  static constexpr int connection_file = 3;

  /// The program has this process's variables but LD_PRELOAD and SKUA_*, no other open file than the connection and
  /// /dev/null as its standard ones, and all signals as they are by default.
  SpawnedProgram(const std::filesystem::path& program, const std::vector<std::string>& arguments);
  /// Kills it.
  /// Blocks: for 100 ms at most; a program deep in a driver may take longer to die, and is left to itself then.
  ~SpawnedProgram();
  SpawnedProgram(const SpawnedProgram&) = delete;
  SpawnedProgram& operator=(const SpawnedProgram&) = delete;

  bool has_started() const noexcept { return failure_.empty(); }
  /// Why it has not started, as the system says it.
  const std::string& failure() const noexcept { return failure_; }
  /// Not above 0 when it has not started, or its end has been seen.
  pid_t process_id() const noexcept { return child_; }

  /// Returns false when nobody reads it: the program has ended, hangs or was never there. What it wrote before it
  /// ended can still be received.
  /// Blocks: never.
  bool send(char question);

  /// What the program has written since the last call: waits until there is something, `wait` at most. Of one that
  /// writes without end a part. Nothing comes any more once is_gone() is true.
  std::string receive(std::chrono::milliseconds wait);
  bool is_gone() const noexcept { return connection_ < 0; }

  /// The status that it has ended with, as waitpid() gives it; 0 when somebody else has collected it.
  /// Returns nullopt when it has not ended at `deadline`, and when it was never there.
  std::optional<int> wait_for_end(std::chrono::steady_clock::time_point deadline);

  /// "by Segmentation fault": how a program that is gone has ended. One that has closed its end and lives is killed.
  /// Blocks: for 100 ms at most.
  std::string end();

 private:
  void hang_up();
  void kill_it();

  int connection_ = -1;
  pid_t child_ = -1;
  std::string failure_;
};

struct ProgramResult {
  enum class End { completed, killed_at_deadline, died, not_started };
  End end = End::not_started;
  int signal_number = 0;  ///< of a program that died by one
  std::string output;     ///< everything that it wrote, also before it died
  std::string failure;    ///< why it has not started
};

/// Starts a SpawnedProgram and hears it to its end or, killing it, to the deadline.
/// Blocks: until the deadline at most, and 100 ms more when it does not die at once.
ProgramResult run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                          std::chrono::milliseconds limit);

}  // namespace skua
