// A thread for one piece of work.
#include "own_thread.hpp"

#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "call.hpp"
#include "exit_fence.hpp"

namespace skua {
namespace {

/// The runtime maps streams to few hardware queues, where the streams of one part would wait for those of another. Has
/// an effect when the runtime was not in use before, and none on what the user has set.
void ask_for_queues() {
#if defined(SKUA_GPU_CUDA)
  static_cast<void>(setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0));
#else
  static_cast<void>(setenv("GPU_MAX_HW_QUEUES", "8", 0));
#endif
}

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
  ignore_captures();
  work();
}

}  // namespace

void on_own_thread(const std::function<void()>& work) {
  // Past this point the thread that fences off may hold what ExitFence's constructor wants.
  if (ExitFence::ended()) throw GpuError("the process ends");
  prepare_process();
  std::exception_ptr failure;
  try {
    std::thread([&] {
      try {
        run_fenced(work);
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
  } catch (const std::system_error& error) {
    throw GpuError(std::string("no thread for the GPU runtime: ") + error.what());
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace skua
