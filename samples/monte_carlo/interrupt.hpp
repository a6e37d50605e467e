// Ctrl-C ends a run early but in order: what was done is still reported.
#pragma once

#include <skua/scheduler.hpp>

namespace monte_carlo {

/// While it lives, the first SIGINT or SIGTERM requests the cancellation and the next one ends the program at once.
/// One at a time in a program.
class Interrupt {
 public:
  explicit Interrupt(const skua::Cancellation& cancellation);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

 private:
  skua::Cancellation cancellation_;
};

}  // namespace monte_carlo
