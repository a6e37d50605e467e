// A forked child at the other end of a pair of sockets.
#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace skua {
namespace {

/// Files of the program that stayed open here would keep its connections to others alive after it has closed them.
int keep_only(int connection) {
  constexpr int kept = 3;
  const int above = fcntl(connection, F_DUPFD, kept + 1);
  if (above < 0) _exit(1);
  const int null_file = open("/dev/null", O_RDWR);
  if (null_file < 0) _exit(1);
  for (int standard = 0; standard < kept; ++standard) dup2(null_file, standard);
  dup2(above, kept);
  if (close_range(kept + 1, ~0u, 0) != 0) {
    rlimit files = {};
    getrlimit(RLIMIT_NOFILE, &files);
    for (int file = kept + 1; file < static_cast<int>(files.rlim_cur); ++file) close(file);
  }
  return kept;
}

[[noreturn]] void run_child(const std::function<void(int)>& work, int connection, pid_t parent) {
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
  try {
    work(keep_only(connection));
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

/// How long a child that was told to go, or killed, is waited for.
constexpr std::chrono::milliseconds patience{50};

}  // namespace

ChildProcess::ChildProcess(const std::function<void(int)>& work) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) run_child(work, ends[1], parent);
  close(ends[1]);
  connection_ = ends[0];
  has_started_ = child_ > 0;
  if (!has_started_) hang_up();
}

ChildProcess::~ChildProcess() {
  hang_up();
  kill_it();
  wait_for_end(std::chrono::steady_clock::now() + 2 * patience);
}

void ChildProcess::hang_up() {
  if (connection_ >= 0) close(connection_);
  connection_ = -1;
}

void ChildProcess::kill_it() {
  if (child_ > 0) kill(child_, SIGKILL);
}

bool ChildProcess::send(char question) {
  if (is_gone()) return false;
  if (::send(connection_, &question, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) return true;
  // A full buffer means a child that has not read for a long time. One that has ended may have said why: that is still
  // to be received.
  if (errno == EAGAIN || errno == EWOULDBLOCK) hang_up();
  return false;
}

std::string ChildProcess::receive(std::chrono::milliseconds wait) {
  constexpr std::size_t bytes_max = 1024 * 1024;
  std::string text;
  while (!is_gone() && text.size() < bytes_max) {
    pollfd waited = {connection_, POLLIN, 0};
    const int ready = poll(&waited, 1, text.empty() ? static_cast<int>(wait.count()) : 0);
    if (ready == 0 || (ready < 0 && errno == EINTR)) break;
    char buffer[16 * 1024];
    const ssize_t got = ready < 0 ? 0 : read(connection_, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      hang_up();
      break;
    }
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

std::optional<int> ChildProcess::wait_for_end(std::chrono::steady_clock::time_point deadline) {
  if (child_ <= 0) return std::nullopt;
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child_, &status, WNOHANG);
    if (ended == child_ || (ended < 0 && errno != EINTR)) {
      child_ = -1;
      // Somebody else collected it, or the program ignores SIGCHLD: how it ended is not known.
      return ended < 0 ? 0 : status;
    }
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    usleep(500);
  }
}

std::string ChildProcess::end() {
  if (!has_started_) return "without having started";
  // One that closed its end is about to go.
  auto status = wait_for_end(std::chrono::steady_clock::now() + patience);
  if (!status) {
    kill_it();
    status = wait_for_end(std::chrono::steady_clock::now() + patience);
  }
  return status && WIFSIGNALED(*status) ? std::string("by ") + strsignal(WTERMSIG(*status)) : "by an error";
}

IsolatedResult run_isolated(const std::function<void(int)>& work, std::chrono::milliseconds limit) {
  using std::chrono::milliseconds;
  using SteadyTime = std::chrono::steady_clock;
  constexpr std::size_t output_bytes_max = 64 * 1024 * 1024;
  const auto deadline = SteadyTime::now() + limit;
  IsolatedResult result;
  ChildProcess child(work);
  if (!child.has_started()) return result;
  while (!child.is_gone() && SteadyTime::now() < deadline && result.output.size() <= output_bytes_max) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - SteadyTime::now());
    result.output += child.receive(std::clamp(left, milliseconds{0}, milliseconds{60'000}));
  }
  const auto status = child.is_gone() ? child.wait_for_end(deadline) : std::nullopt;
  if (!status) {
    result.end = IsolatedResult::End::killed_at_deadline;
  } else if (*status != 0) {
    result.end = IsolatedResult::End::died;
    result.signal_number = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
  } else {
    result.end = IsolatedResult::End::completed;
  }
  return result;
}

void write_or_exit(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count <= 0) _exit(1);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace skua
