// Jobs that could never begin are refused at once, and those that can wait their turn do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#ifdef SKUA_HAS_TBB
#include <tbb/parallel_for.h>
#endif

#include <skua/scheduler.hpp>

#include "support/devices.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

/// What a Job that is started there and then comes to.
std::string try_a_job(Scheduler& scheduler) {
  try {
    scheduler.parallel_for(8, [](std::uint64_t) {});
    return "done";
  } catch (const std::logic_error& error) {
    return error.what();
  }
}

TEST(Turn, IsRefusedToAJobFromAProgressCallback) {
  Scheduler scheduler(test::host_devices(2));
  std::string answer;
  JobOptions options;
  options.progress = [&](const Progress&) { answer = try_a_job(scheduler); };
  scheduler.parallel_for(
      1000, [](std::uint64_t) { std::this_thread::sleep_for(20us); }, options);
  EXPECT_NE(answer.find("callback"), std::string::npos) << answer;
  EXPECT_EQ(try_a_job(scheduler), "done");
}

TEST(Turn, IsRefusedToAJobFromAThreadThatABodyStarted) {
  Scheduler scheduler(test::host_devices(2));
  std::string answer;
  scheduler.parallel_for(1, [&](std::uint64_t) { std::thread([&] { answer = try_a_job(scheduler); }).join(); });
  EXPECT_NE(answer.find("body"), std::string::npos) << answer;
}

TEST(Turn, IsRefusedToAJobFromAThreadOfAThreadThatABodyStarted) {
  Scheduler scheduler(test::host_devices(1));
  std::string answer;
  scheduler.parallel_for(1, [&](std::uint64_t) {
    std::thread([&] { std::thread([&] { answer = try_a_job(scheduler); }).join(); }).join();
  });
  EXPECT_NE(answer.find("body"), std::string::npos) << answer;
}

TEST(Turn, IsGivenToAThreadThatABodyStartedOnceItsJobHasEnded) {
  Scheduler scheduler(test::host_devices(1));
  std::atomic<bool> over{false};
  std::string answer;
  std::optional<std::thread> thread;
  scheduler.parallel_for(1, [&](std::uint64_t) {
    thread.emplace([&] {
      while (!over) std::this_thread::yield();
      answer = try_a_job(scheduler);
    });
  });
  over = true;
  thread->join();
  EXPECT_EQ(answer, "done");
}

#ifdef SKUA_HAS_TBB
TEST(Turn, IsRefusedToAJobFromTasksThatABodyStarted) {
  Scheduler scheduler(SchedulerOptions{.devices = "host:1", .trace = {}});
  std::atomic<int> done{0};
  scheduler.parallel_for(1, [&](std::uint64_t) {
    tbb::parallel_for(0, 64, [&](int) {
      if (try_a_job(scheduler) == "done") ++done;
    });
  });
  EXPECT_EQ(done, 0);
}
#endif

TEST(Turn, ComesToThreadsOfTheProgramOneAfterAnother) {
  Scheduler scheduler(test::host_devices(2));
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 10; ++k) done += try_a_job(scheduler) == "done" ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 40);
}

TEST(Turn, SaysInTheReportHowLongOtherThreadsJobsKeptItWaiting) {
  Scheduler scheduler(test::host_devices(1));
  std::atomic<bool> runs{false};
  std::thread other([&] {
    scheduler.parallel_for(1, [&](std::uint64_t) {
      runs = true;
      std::this_thread::sleep_for(50ms);
    });
  });
  while (!runs) std::this_thread::yield();
  const Report report = scheduler.parallel_for(1, [](std::uint64_t) {});
  other.join();
  EXPECT_THAT(report.notes, Contains(HasSubstr("for Jobs of other threads")));
}

#ifndef __SANITIZE_THREAD__
TEST(Turn, IsRefusedInAForkedProcessWhichCanStillEnd) {
  Scheduler scheduler(test::host_devices(2));
  scheduler.parallel_for(8, [](std::uint64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool refused = try_a_job(scheduler).find("fork") != std::string::npos;
    scheduler.~Scheduler();
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(try_a_job(scheduler), "done") << "the parent goes on";
}
#endif

TEST(Turn, LeavesSignalsToTheProgramsOwnThreads) {
  Scheduler scheduler(test::host_devices(2));
  std::atomic<int> blocked{0};
  scheduler.parallel_for(64, [&](std::uint64_t) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocked += sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGSEGV) == 0 ? 1 : 0;
  });
  EXPECT_EQ(blocked, 64);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0) << "the caller's own mask is as it was";
}

}  // namespace
}  // namespace skua
