// Threads that skua makes: marked, so that the threads which they start can be told from others; and without signals.
#pragma once

#include <signal.h>

#include <optional>
#include <string>

#include <skua/detail/cpu_set.hpp>

namespace skua {

/// Names the calling thread as one of skua's. Threads take their name over from the thread that makes them, and no
/// program's main thread can have such a name: so whatever is started by a body that runs on this thread is marked,
/// too.
void name_skua_thread(const std::string& name) noexcept;

/// The name that the kernel keeps of a thread that was named so.
std::string skua_thread_name(const std::string& name);

/// Whether the calling thread is one of skua's, or was started by one and has not been given another name.
bool is_of_skua_thread() noexcept;

/// Gives the calling thread, if it is marked, the name of the program: it serves others from now on.
void unmark_this_thread() noexcept;

/// The CPUs that the calling thread may run on. Returns nullopt when the system does not say.
std::optional<CpuSet> this_thread_cpus();

/// While it lives, the calling thread blocks all signals but those that its own instructions cause and profilers'
/// timers; threads that it makes meanwhile keep them blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace skua
