// The program libexec/skua/probe. It asks librocm_smi64 in a process of its own: that aborts on some machines, waits
// for locks of dead processes on others, and would have to be forked beside MPI and GPU runtimes otherwise.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <system/spawned_program.hpp>
#include <vendor/rocm_smi_library.hpp>

#include "ask_everything.hpp"
#include "ask_load.hpp"
#include "output.hpp"
#include "protocol.hpp"

namespace {

constexpr int connection = skua::SpawnedProgram::connection_file;

/// With the thread that started it, even while the library hangs.
void die_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Who had died before that line has closed its end.
  pollfd parent = {connection, 0, 0};
  if (poll(&parent, 1, 0) > 0 && (parent.revents & (POLLHUP | POLLERR)) != 0) _exit(1);
  alarm(skua::probe_patience_s);
}

/// Leaves no core file, and lets the signal be seen that a sanitizer's handlers would hide.
void crash_plainly() {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(number, SIG_DFL);
}

/// The numbers behind without=, which skua itself has written there.
std::set<std::uint32_t> devices_in(const std::string& word) {
  std::set<std::uint32_t> devices;
  std::istringstream numbers(word.substr(std::string(skua::probe_without).size()));
  for (std::string number; std::getline(numbers, number, ',');) {
    devices.insert(static_cast<std::uint32_t>(std::strtoul(number.c_str(), nullptr, 10)));
  }
  return devices;
}

void answer(const std::string& task, std::vector<std::string> libraries, const skua::Output& output) {
  std::set<std::uint32_t> without;
  if (libraries.front().starts_with(skua::probe_without)) {
    without = devices_in(libraries.front());
    libraries.erase(libraries.begin());
  }
  const auto library = skua::RocmSmiLibrary::open(libraries);
  if (task == skua::probe_task_load) {
    if (!library) return output.line("failed to load");
    return skua::ask_load(*library, connection, output);
  }
  if (!library) return;
  output.line("library", library->name());
  skua::ask_everything(*library, task == skua::probe_task_links ? skua::AskLinks::yes : skua::AskLinks::no, without,
                       output);
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool is_task = arguments.size() >= 3 && arguments[0] == skua::probe_version &&
                       (arguments[1] == skua::probe_task_gpus || arguments[1] == skua::probe_task_links ||
                        arguments[1] == skua::probe_task_load);
  const skua::Output output(connection);
  const bool is_connected = fcntl(connection, F_GETFD) >= 0;
  if (is_connected) output.write_all(skua::probe_greeting);
  if (!is_connected || !is_task) {
    std::fprintf(stderr, "probe: it is skua's libraries that start this program: probe %s gpus|links|load LIBRARY...\n",
                 skua::probe_version);
    return 2;
  }
  die_with_parent();
  crash_plainly();
  answer(arguments[1], {arguments.begin() + 2, arguments.end()}, output);
  // The library's own end could hang or crash; nothing of this process needs one.
  _exit(0);
}
