// A forked child with a pipe and a deadline.
#include "isolated_call.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace skua {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t output_bytes_max = 64 * 1024 * 1024;

[[noreturn]] void run_child(const std::function<void(int)>& work, int output_file, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // The program's own handlers would run its clean-up here, in the wrong process.
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGPIPE, SIGALRM}) {
    std::signal(number, SIG_DFL);
  }
  sigset_t nothing;
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, nullptr);
  const int null_file = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2 && null_file >= 0; ++standard) dup2(null_file, standard);
  try {
    work(output_file);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

/// Reads until the child closes its end. Returns false at the deadline.
bool read_until(int file, SteadyClock::time_point deadline, std::string& output) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
    if (left <= 0 || output.size() > output_bytes_max) return false;
    pollfd waited = {file, POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    char buffer[16 * 1024];
    const ssize_t got = read(file, buffer, sizeof(buffer));
    if (got == 0) return true;
    if (got > 0) output.append(buffer, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return false;
  }
}

/// Fails: false when the child has not ended at the deadline.
bool wait_until(pid_t child, SteadyClock::time_point deadline, int& status) {
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR) {
      // Somebody else collected it, or the program ignores SIGCHLD: how it ended is not known.
      status = 0;
      return true;
    }
    if (SteadyClock::now() >= deadline) return false;
    usleep(500);
  }
}

}  // namespace

IsolatedResult run_isolated(const std::function<void(int)>& work, std::chrono::milliseconds limit) {
  const auto deadline = SteadyClock::now() + limit;
  IsolatedResult result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return result;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_child(work, ends[1], parent);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return result;
  }
  int status = 0;
  const bool is_ended = read_until(ends[0], deadline, result.output) && wait_until(child, deadline, status);
  close(ends[0]);
  if (!is_ended) {
    kill(child, SIGKILL);
    // A process deep in a driver may take a while to die; it is not waited for longer than this.
    wait_until(child, SteadyClock::now() + std::chrono::milliseconds(100), status);
    result.end = IsolatedResult::End::killed_at_deadline;
  } else if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0)) {
    result.end = IsolatedResult::End::died;
    result.signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  } else {
    result.end = IsolatedResult::End::completed;
  }
  return result;
}

}  // namespace skua
