// A forked child at the other end of a pair of sockets.
#include "helper_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace

HelperProcess::HelperProcess(const std::function<void(int)>& work) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) run_child(work, ends[1], parent);
  close(ends[1]);
  connection_ = ends[0];
  if (child_ < 0) hang_up();
}

HelperProcess::~HelperProcess() {
  hang_up();
  if (child_ > 0) kill(child_, SIGKILL);
  end();
}

void HelperProcess::hang_up() {
  if (connection_ >= 0) close(connection_);
  connection_ = -1;
}

bool HelperProcess::send(char question) {
  if (is_gone()) return false;
  // A full buffer means a child that has not read for a long time.
  if (::send(connection_, &question, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) hang_up();
  return !is_gone();
}

std::string HelperProcess::receive(std::chrono::milliseconds wait) {
  std::string text;
  while (!is_gone()) {
    pollfd waited = {connection_, POLLIN, 0};
    const int ready = poll(&waited, 1, text.empty() ? static_cast<int>(wait.count()) : 0);
    if (ready == 0 || (ready < 0 && errno == EINTR)) break;
    char buffer[4096];
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

std::string HelperProcess::end() {
  if (child_ < 0) return "without having started";
  int status = 0;
  pid_t ended = 0;
  // One that closed its end is about to go. One deep in a driver may take long to die, and is left to itself then.
  for (int attempt = 0; attempt < 200 && ended == 0; ++attempt) {
    ended = waitpid(child_, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) ended = 0;
    if (ended == 0 && attempt == 100) kill(child_, SIGKILL);
    if (ended == 0) usleep(500);
  }
  const bool has_signal = ended == child_ && WIFSIGNALED(status);
  child_ = -1;
  return has_signal ? std::string("by ") + strsignal(WTERMSIG(status)) : "by an error";
}

}  // namespace skua
