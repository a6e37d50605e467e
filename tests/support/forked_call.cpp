// A forked process at the other end of a pipe.
#include "support/forked_call.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace skua::test {
namespace {

constexpr unsigned patience_s = 30;

[[noreturn]] void run(const std::function<std::string()>& work, int file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(patience_s);
  std::string text;
  try {
    text = work();
  } catch (...) {
    _exit(1);
  }
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count <= 0) _exit(1);
    written += static_cast<std::size_t>(count);
  }
  _exit(0);
}

}  // namespace

std::optional<std::string> in_forked_process(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run(work, ends[1]);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = -1;
  if (child <= 0 || waitpid(child, &status, 0) != child || status != 0) return std::nullopt;
  return text;
}

}  // namespace skua::test
