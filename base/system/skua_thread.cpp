// Marks by name, and the masks of threads.
#include "skua_thread.hpp"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <array>
#include <cstring>
#include <vector>

#include "thread.hpp"

namespace skua {
namespace {

// A program's first thread is named after its file, and no file's name has a slash.
constexpr const char* mark = "skua/";

}  // namespace

std::string skua_thread_name(const std::string& name) {
  constexpr std::size_t kept = 15;  // by the kernel
  return (mark + name).substr(0, kept);
}

void name_skua_thread(const std::string& name) noexcept {
  name_this_thread(skua_thread_name(name));
}

bool is_of_skua_thread() noexcept {
  std::array<char, 16> name{};
  return prctl(PR_GET_NAME, name.data()) == 0 && std::strncmp(name.data(), mark, std::strlen(mark)) == 0;
}

void unmark_this_thread() noexcept {
  if (is_of_skua_thread()) name_this_thread(program_invocation_short_name);
}

std::optional<CpuSet> this_thread_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0) return std::nullopt;
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return CpuSet(std::move(cpus));
}

SignalsBlocked::SignalsBlocked() noexcept {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF}) sigdelset(&blocked, own);
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

SignalsBlocked::~SignalsBlocked() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace skua
