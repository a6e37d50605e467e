// The line on standard error that says how far a run is.
#pragma once

#include <string>

#include <skua/scheduler.hpp>

namespace monte_carlo {

/// Shown on a terminal, where it is written over again and again, or line after line when SKUA_PROGRESS=1 says so;
/// never when SKUA_PROGRESS=0 does.
/// Threads: one at a time.
class ProgressLine {
 public:
  /// Fails: InputError when SKUA_PROGRESS is neither 0 nor 1.
  ProgressLine();
  /// Takes the line away from a terminal.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool shown() const noexcept { return shown_; }
  void show(const skua::Progress& progress);
  void clear();

 private:
  bool terminal_;
  bool shown_;
  bool written_ = false;
};

/// What the line says, e.g. "37 %   4.1e+06 paths/s   12 s left, until 14:03:22".
std::string progress_text(const skua::Progress& progress);

}  // namespace monte_carlo
