// Runs a piece of work in a child process that may hang, abort or crash without harm.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace skua {

struct IsolatedResult {
  enum class End { completed, killed_at_deadline, died, not_started };
  End end = End::not_started;
  int signal_number = 0;  ///< of a child that died
  std::string output;     ///< everything that the child wrote, also before it died
};

/// Calls `work` in a forked child with the file to write its results to; returns when the child has ended or, killing
/// it, at the deadline. The child leaves no core file and says nothing on the terminal.
/// Threads: any, also while others run; a lock that another thread holds at this moment can make the child hang, which
/// the deadline ends.
/// Blocks: until the deadline at most.
IsolatedResult run_isolated(const std::function<void(int output_file)>& work, std::chrono::milliseconds deadline);

}  // namespace skua
