// Jobs that could never begin are refused at once, and those that can wait their turn do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#ifdef SKUA_HAS_TBB
#include <tbb/parallel_for.h>
#endif

#include <skua/scheduler.hpp>

#include "support/devices.hpp"
#include "support/temporary_folder.hpp"

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

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Turn, IsLeftAloneByTheExitOfAForkedProcessAndSoIsTheTrace) {
  const test::TemporaryFolder folder;
  const std::string trace = (folder.path() / "trace.json").string();
  // exit() destroys it.
  static std::unique_ptr<Scheduler> scheduler;
  scheduler = std::make_unique<Scheduler>(test::host_devices(2), SchedulerOptions{.devices = {}, .trace = trace});
  const auto fork_and_exit = [&] {
    const std::string before = content_of(trace);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::exit(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(content_of(trace), before);
  };
  fork_and_exit();
  const auto sum = [&] {
    return scheduler->parallel_reduce(1000, std::uint64_t{0}, [](std::uint64_t i) { return i; }).value;
  };
  EXPECT_EQ(sum(), 499'500u) << "the parent goes on";
  EXPECT_NE(content_of(trace), "");
  fork_and_exit();
  // While a Job runs, too.
  std::atomic<bool> runs{false};
  std::atomic<bool> may_end{false};
  std::thread other([&] {
    scheduler->parallel_for(1, [&](std::uint64_t) {
      runs = true;
      while (!may_end) std::this_thread::sleep_for(1ms);
    });
  });
  while (!runs) std::this_thread::yield();
  fork_and_exit();
  may_end = true;
  other.join();
  EXPECT_EQ(sum(), 499'500u);
  scheduler.reset();
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

struct AfterMain {
  ~AfterMain() {
    if (run) run();
  }
  std::function<void()> run;
};
AfterMain after_main;

TEST(Turn, IsGivenToAJobInADestructorAfterMain) {
  // A process of its own, begun anew: one forked from threads may start none under the thread sanitizer.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto leave_main = [] {
    after_main.run = [] {
      std::atomic<int> items{0};
      Scheduler(test::host_devices(2)).parallel_for(100, [&](std::uint64_t) { ++items; });
      _exit(items == 100 ? 0 : 1);
    };
    std::exit(2);
  };
  EXPECT_EXIT(leave_main(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace skua
