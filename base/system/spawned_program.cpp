// Starts a program at the other end of a pair of sockets.
#include "spawned_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

namespace skua {
namespace {

constexpr int first_closed_file = SpawnedProgram::connection_file + 1;

/// What the program may do with files before it begins: it keeps its connection, and no file of this process's.
class FileActions {
 public:
  explicit FileActions(int connection) {
    note(posix_spawn_file_actions_init(&actions_));
    note(posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDWR, 0));
    for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) {
      note(posix_spawn_file_actions_adddup2(&actions_, STDIN_FILENO, standard));
    }
    note(posix_spawn_file_actions_adddup2(&actions_, connection, SpawnedProgram::connection_file));
    note(posix_spawn_file_actions_addclosefrom_np(&actions_, first_closed_file));
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }
  int error() const noexcept { return error_; }

 private:
  void note(int error) {
    if (error_ == 0) error_ = error;
  }

  posix_spawn_file_actions_t actions_{};
  int error_ = 0;
};

/// Signals as a shell would give them to a program: what this process blocks, ignores or handles is its own affair.
class DefaultSignals {
 public:
  DefaultSignals() {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~DefaultSignals() { posix_spawnattr_destroy(&attributes_); }
  DefaultSignals(const DefaultSignals&) = delete;
  DefaultSignals& operator=(const DefaultSignals&) = delete;

  const posix_spawnattr_t* get() const noexcept { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

/// What is preloaded into this process, a profiler say, would run in the program too; and it has no use for skua's own.
std::vector<std::string> passed_environment() {
  std::vector<std::string> passed;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("LD_PRELOAD=") || text.starts_with("SKUA_")) continue;
    passed.emplace_back(text);
  }
  return passed;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Returns 0, or the number of the error.
int spawn(const std::filesystem::path& program, std::vector<std::string> arguments, int connection, pid_t& child) {
  // Above those that the program is to have, so that none of them is overwritten before it is copied.
  const int above = fcntl(connection, F_DUPFD_CLOEXEC, first_closed_file);
  if (above < 0) return errno;
  int error = 0;
  {
    const FileActions files(above);
    const DefaultSignals signals;
    arguments.insert(arguments.begin(), program.string());
    std::vector<std::string> environment = passed_environment();
    error = files.error();
    if (error == 0) {
      error = posix_spawn(&child, program.c_str(), files.get(), signals.get(), pointers_to(arguments).data(),
                          pointers_to(environment).data());
    }
  }
  close(above);
  if (error != 0) child = -1;
  return error;
}

/// How long a program that was told to go, or killed, is waited for.
constexpr std::chrono::milliseconds patience{50};

}  // namespace

SpawnedProgram::SpawnedProgram(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    failure_ = std::generic_category().message(errno);
    return;
  }
  const int error = spawn(program, arguments, ends[1], child_);
  close(ends[1]);
  connection_ = ends[0];
  if (error == 0) return;
  failure_ = std::generic_category().message(error);
  hang_up();
}

SpawnedProgram::~SpawnedProgram() {
  hang_up();
  kill_it();
  wait_for_end(std::chrono::steady_clock::now() + 2 * patience);
}

void SpawnedProgram::hang_up() {
  if (connection_ >= 0) close(connection_);
  connection_ = -1;
}

void SpawnedProgram::kill_it() {
  if (child_ > 0) kill(child_, SIGKILL);
}

bool SpawnedProgram::send(char question) {
  if (is_gone()) return false;
  if (::send(connection_, &question, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) return true;
  // A full buffer means a program that has not read for a long time. One that has ended may have said why: that is
  // still to be received.
  if (errno == EAGAIN || errno == EWOULDBLOCK) hang_up();
  return false;
}

std::string SpawnedProgram::receive(std::chrono::milliseconds wait) {
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

std::optional<int> SpawnedProgram::wait_for_end(std::chrono::steady_clock::time_point deadline) {
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

std::string SpawnedProgram::end() {
  if (!has_started()) return "without having started";
  // One that closed its end is about to go.
  auto status = wait_for_end(std::chrono::steady_clock::now() + patience);
  if (!status) {
    kill_it();
    status = wait_for_end(std::chrono::steady_clock::now() + patience);
  }
  return status && WIFSIGNALED(*status) ? std::string("by ") + strsignal(WTERMSIG(*status)) : "by an error";
}

ProgramResult run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                          std::chrono::milliseconds limit) {
  using std::chrono::milliseconds;
  using SteadyTime = std::chrono::steady_clock;
  constexpr std::size_t output_bytes_max = 64 * 1024 * 1024;
  const auto deadline = SteadyTime::now() + limit;
  ProgramResult result;
  SpawnedProgram child(program, arguments);
  result.failure = child.failure();
  if (!child.has_started()) return result;
  while (!child.is_gone() && SteadyTime::now() < deadline && result.output.size() <= output_bytes_max) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - SteadyTime::now());
    result.output += child.receive(std::clamp(left, milliseconds{0}, milliseconds{60'000}));
  }
  const auto status = child.is_gone() ? child.wait_for_end(deadline) : std::nullopt;
  if (!status) {
    result.end = ProgramResult::End::killed_at_deadline;
  } else if (*status != 0) {
    result.end = ProgramResult::End::died;
    result.signal_number = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
  } else {
    result.end = ProgramResult::End::completed;
  }
  return result;
}

}  // namespace skua
