// Kernels that spin, launched by another process or thread.
#include "disturber.hpp"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include <skua/hip.hpp>

#include <gpu/call.hpp>
#include "current_gpu.hpp"

namespace bench {
namespace {

using namespace skua::gpu_api;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr unsigned spinning_threads = 1024;  ///< half of what a compute unit holds

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Work on one stream. The stream's GPU must be the thread's current one.
class Spinner {
 public:
  Spinner(int ordinal, const skua::MakeGpuStream& make_stream, unsigned blocks)
      : make_stream_(make_stream), stream_(make_stream_()), blocks_(blocks) {
    int clock_khz = 0;
    skua::require("hipDeviceGetAttribute", hipDeviceGetAttribute(&clock_khz, hipDeviceAttributeClockRate, ordinal));
    cycles_in_ms_ = clock_khz;
    run(0);
  }
  ~Spinner() { static_cast<void>(hipStreamDestroy(stream_)); }
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;

  /// One kernel, so that what it holds is not given to others in between.
  void run(double duration_ms) {
    static_cast<void>(hipGetLastError());
    spin<<<blocks_, spinning_threads, 0, stream_>>>(static_cast<long long>(duration_ms * cycles_in_ms_));
    skua::require("launch", hipGetLastError());
    hipError_t state = hipErrorNotReady;
    while ((state = hipStreamQuery(stream_)) == hipErrorNotReady) {
    }
    skua::require("hipStreamQuery", state);
  }

 private:
  skua::MakeGpuStream make_stream_;  ///< owns what the stream needs
  hipStream_t stream_;
  unsigned blocks_;
  double cycles_in_ms_ = 0;
};

class ThreadDisturber final : public Disturber {
 public:
  explicit ThreadDisturber(const Unit& unit) : ordinal_(unit.ordinal) {
    const bench::CurrentGpu current(ordinal_);
    spinner_ = std::make_unique<Spinner>(ordinal_, unit.make_stream, unit.compute_units);
  }
  ~ThreadDisturber() override { ThreadDisturber::wait(); }

  void disturb(double delay_ms, double duration_ms) override {
    wait();
    thread_ = std::thread([this, delay_ms, duration_ms] {
      std::this_thread::sleep_for(Milliseconds(delay_ms));
      const bench::CurrentGpu current(ordinal_);
      spinner_->run(duration_ms);
    });
  }
  void wait() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  int ordinal_;
  std::unique_ptr<Spinner> spinner_;
  std::thread thread_;
};

/// What goes through the pipe to the other process; it answers each with one byte, and the start with one, too.
struct Stretch {
  double delay_ms = 0;
  double duration_ms = 0;
};

class ProcessDisturber final : public Disturber {
 public:
  ProcessDisturber(int ordinal, const char* program) {
    int orders[2];
    int answers[2];
    if (pipe(orders) != 0 || pipe(answers) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    child_ = fork();
    if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child_ == 0) {
      dup2(orders[0], STDIN_FILENO);
      dup2(answers[1], STDOUT_FILENO);
      for (const int end : {orders[0], orders[1], answers[0], answers[1]}) close(end);
      execl(program, program, "--disturb", std::to_string(ordinal).c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(orders[0]);
    close(answers[1]);
    orders_ = orders[1];
    answers_ = answers[0];
    wait();
  }
  ~ProcessDisturber() override {
    close(orders_);
    close(answers_);
    waitpid(child_, nullptr, 0);
  }

  void disturb(double delay_ms, double duration_ms) override {
    wait();
    const Stretch stretch{delay_ms, duration_ms};
    if (write(orders_, &stretch, sizeof stretch) != sizeof stretch) throw std::runtime_error("the disturber is gone");
    is_busy_ = true;
  }
  void wait() override {
    char answer = 0;
    if (is_busy_ && read(answers_, &answer, 1) != 1) throw std::runtime_error("the disturber is gone");
    is_busy_ = false;
  }

 private:
  pid_t child_ = -1;
  int orders_ = -1;
  int answers_ = -1;
  bool is_busy_ = true;  ///< it starts
};

}  // namespace

std::unique_ptr<Disturber> make_disturber(const Unit& unit, bool is_part, const char* program) {
  if (is_part) return std::make_unique<ThreadDisturber>(unit);
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_unique<ProcessDisturber>(unit.ordinal, program);
}

int serve_as_disturber(int ordinal) {
  skua::require("hipSetDevice", hipSetDevice(ordinal));
  Spinner spinner(ordinal, skua::whole_gpu(), 2 * compute_units_of(ordinal));
  const char answer = '.';
  if (write(STDOUT_FILENO, &answer, 1) != 1) return 1;
  Stretch stretch;
  while (read(STDIN_FILENO, &stretch, sizeof stretch) == sizeof stretch) {
    std::this_thread::sleep_for(Milliseconds(stretch.delay_ms));
    spinner.run(stretch.duration_ms);
    if (write(STDOUT_FILENO, &answer, 1) != 1) return 1;
  }
  return 0;
}

}  // namespace bench
