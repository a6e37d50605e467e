// A thread for one piece of work.
#include "own_thread.hpp"

#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "call.hpp"
#include "exit_fence.hpp"

namespace skua {
namespace {

#if defined(SKUA_GPU_CUDA)
/// The runtime maps streams to few hardware queues, where the streams of one part would wait for those of another. Has
/// an effect when the runtime was not in use before, and none on what the user has set.
void ask_for_queues() {
  static_cast<void>(setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0));
}
#else
/// In HIP the streams of parts have queues of their own, and the two of a whole GPU are fewer than the runtime has.
void ask_for_queues() {}
#endif

/// What comes before the first use of the runtime; once only, since other threads may read the environment.
void prepare_process() {
  static std::once_flag done;
  std::call_once(done, [] {
    ask_for_queues();
    ExitFence::watch_exit();
  });
}

void run_fenced(const std::function<void()>& work) {
  ExitFence fence;
  const ExitFence::Stay stay(fence);
  if (!stay.allowed()) throw GpuError("the process ends");
  work();
}

void run_ignoring_captures(const std::function<void()>& work) {
  run_fenced([&] {
    ignore_captures();
    work();
  });
}

void prepare_to_call() {
  // Past this point the thread that fences off may hold what ExitFence's constructor wants.
  if (ExitFence::ended()) throw GpuError("the process ends");
  prepare_process();
}

}  // namespace

void on_own_thread(const std::function<void()>& work) {
  prepare_to_call();
  std::exception_ptr failure;
  try {
    std::thread([&] {
      try {
        run_ignoring_captures(work);
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
  } catch (const std::system_error& error) {
    throw GpuError(std::string("no thread for the GPU runtime: ") + error.what());
  }
  if (failure) std::rethrow_exception(failure);
}

void in_background(std::function<void()> work) noexcept {
  const auto run = [](const std::function<void()>& given) noexcept {
    try {
      run_ignoring_captures(given);
    } catch (const std::exception&) {
      // The process ends.
    }
  };
  try {
    prepare_to_call();
    std::thread(run, std::move(work)).detach();
  } catch (const std::exception&) {
    // As above, or there is no thread to be had.
  }
}

void on_callers_thread(const std::function<void()>& work) {
  prepare_to_call();
  run_fenced(work);
}

}  // namespace skua
