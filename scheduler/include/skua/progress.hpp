// The line on standard error that says how far a Job is: options.progress = skua::ProgressLine();
#pragma once

#include <memory>
#include <string>

#include <skua/job_options.hpp>

namespace skua {

/// What the line counts: items, or something of which an item has several.
struct ProgressUnit {
  std::string name = "items";
  double in_item = 1;
};

/// Shown on a terminal, where it is written over again and again and goes away when all is done; line after line
/// elsewhere when SKUA_PROGRESS=1 says so; never when SKUA_PROGRESS=0 does. Copies are one line.
/// Threads: one at a time.
class ProgressLine {
 public:
  /// Fails: InputError when SKUA_PROGRESS is neither 0 nor 1.
  explicit ProgressLine(ProgressUnit unit = {});

  bool shown() const noexcept;
  void operator()(const Progress& progress) const;
  /// Takes the line away from a terminal, as the end of the last copy does: for what is to be printed after a Job that
  /// was cancelled.
  void clear() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

/// What the line says, e.g. "37 %   4.1e+06 items/s   12 s left, until 14:03:22".
std::string progress_text(const Progress& progress, const ProgressUnit& unit = {});

}  // namespace skua
