// The threads that oneTBB lends to a device of the host.
#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <skua/scheduler.hpp>
#include <system/skua_thread.hpp>

#include "support/devices.hpp"

namespace skua {
namespace {

bool blocks(int number) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, number) == 1;
}

TEST(Cores, AreGivenBackWithTheCpusAndSignalsOfTheProgram) {
  const auto own_cpus = this_thread_cpus();
  ASSERT_FALSE(blocks(SIGTERM));
  {
    // oneTBB makes its threads in here, out of a thread that is bound and blocks signals.
    Scheduler scheduler(open_devices("host", Topology{}, test::steady_clock()));
    scheduler.parallel_for(1000, [](std::uint64_t) { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
  }
  std::atomic<int> others{0};
  std::atomic<int> changed{0};
  const auto own_thread = std::this_thread::get_id();
  tbb::parallel_for(0, 1000, [&](int) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (std::this_thread::get_id() == own_thread) return;
    ++others;
    if (blocks(SIGTERM) || this_thread_cpus() != own_cpus || is_of_skua_thread()) ++changed;
  });
  if (others == 0) GTEST_SKIP() << "oneTBB has no other thread here";
  EXPECT_EQ(changed, 0);
}

}  // namespace
}  // namespace skua
