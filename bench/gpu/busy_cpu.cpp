// Finds the thread by its name.
#include "busy_cpu.hpp"

#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <system/skua_thread.hpp>

namespace bench {
namespace {

std::optional<pid_t> thread_named(const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string found;
    std::getline(std::ifstream(task.path() / "comm"), found);
    if (found == name) return static_cast<pid_t>(std::stol(task.path().filename()));
  }
  return std::nullopt;
}

void require(const char* call, int failed) {
  if (failed != 0) throw std::system_error(errno, std::generic_category(), call);
}

}  // namespace

struct BusyCpu::State {
  pid_t driver = 0;
  cpu_set_t drivers_cpus{};
  std::atomic<bool> stopping{false};
  std::thread spinning;
};

BusyCpu::BusyCpu(const std::string& device) : state_(new State) {
  // A thread that has just begun may not have its name yet.
  const std::string name = skua::skua_thread_name(device);
  std::optional<pid_t> driver = thread_named(name);
  for (int attempt = 0; !driver && attempt < 100; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    driver = thread_named(name);
  }
  if (!driver) throw std::runtime_error("no thread is named " + name);
  state_->driver = *driver;
  require("sched_getaffinity", sched_getaffinity(state_->driver, sizeof(cpu_set_t), &state_->drivers_cpus));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&one) == 0; --cpu) {
    if (CPU_ISSET(cpu, &state_->drivers_cpus)) CPU_SET(cpu, &one);
  }
  require("sched_setaffinity", sched_setaffinity(state_->driver, sizeof one, &one));
  state_->spinning = std::thread([state = state_, one] {
    static_cast<void>(sched_setaffinity(0, sizeof one, &one));
    while (!state->stopping.load(std::memory_order_relaxed)) {
    }
  });
}

BusyCpu::~BusyCpu() {
  state_->stopping = true;
  state_->spinning.join();
  static_cast<void>(sched_setaffinity(state_->driver, sizeof(cpu_set_t), &state_->drivers_cpus));
  delete state_;
}

}  // namespace bench
