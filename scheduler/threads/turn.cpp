// Refuses Jobs that could never begin.
#include "turn.hpp"

#include <unistd.h>

#include <stdexcept>

#include <skua/device.hpp>
#include <system/skua_thread.hpp>

namespace skua {

Turns::Turns() : process_(getpid()) {}

bool Turns::is_forked() const noexcept {
  return getpid() != process_;
}

void Turns::refuse_where_nothing_runs() const {
  if (is_forked()) {
    throw std::logic_error(
        "a Job was started in a process that was forked after its Scheduler was made: its threads are not here; make a "
        "Scheduler in the new process");
  }
  if (BodyScope::active()) {
    throw std::logic_error("a Job was started from inside a body of another Job; start it after that Job has ended");
  }
}

Turns::Turn::Turn(Turns& turns) : turns_(turns) {
  if (turns_.is_held_here()) {
    throw std::logic_error(
        "a Job was started from a callback of another Job of the same Scheduler; start it after that Job has ended");
  }
  if (!turns_.mutex_.try_lock()) {
    if (is_of_skua_thread()) {
      throw std::logic_error(
          "a Job was started from a thread or task that a body of another Job started; start it after that Job has "
          "ended");
    }
    turns_.mutex_.lock();
  }
  turns_.holder_.store(std::this_thread::get_id());
}

Turns::Turn::~Turn() {
  turns_.holder_.store({});
  turns_.mutex_.unlock();
}

}  // namespace skua
