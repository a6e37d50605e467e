// Jobs that follow one another, many devices, and what the system refuses.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <skua/input.hpp>
#include <skua/scheduler.hpp>

#include "support/asynchronous_device.hpp"
#include "support/devices.hpp"
#include "support/temporary_folder.hpp"
#include "support/watchful_device.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

void work_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

std::uint64_t chunks_of(const Report& report) {
  std::uint64_t chunks = 0;
  for (const DeviceReport& device : report.devices) chunks += device.chunks;
  return chunks;
}

TEST(Crew, DoesNotLetAnUnnamedLoopLearnFromAnother) {
  for (const bool own_threads : {false, true}) {
    Devices devices = test::host_devices(2);
    if (own_threads) {
      devices[0] = std::make_unique<test::AsynchronousDevice>("a");
      devices[1] = std::make_unique<test::AsynchronousDevice>("b");
    }
    Scheduler scheduler(std::move(devices));
    for (int loop = 0; loop < 20; ++loop) scheduler.parallel_for(100'000, [](std::uint64_t) {});
    // Cheap loops before it would have it run in one chunk a device, with nothing left to steal.
    const Report report = scheduler.parallel_for(2000, [](std::uint64_t i) { work_for(i < 1000 ? 20us : 1us); });
    EXPECT_GT(chunks_of(report), 8u);
  }
}

TEST(Crew, BelievesANamedLoopThatHasBecomeAnother) {
  Devices devices;
  devices.push_back(std::make_unique<test::AsynchronousDevice>("a"));
  Scheduler scheduler(std::move(devices));
  std::atomic<int> microseconds{2000};
  const auto body = [&](std::uint64_t) {
    if (const int time = microseconds.load(); time > 0) work_for(std::chrono::microseconds(time));
  };
  JobOptions options;
  options.granule_items = 1;
  scheduler.parallel_for(40, body, options);
  microseconds = 0;
  const Report report = scheduler.parallel_for(100'000, body, options);
  // By the old rate it would take 200 s: whoever sleeps by that sees the first end after a minute.
  EXPECT_LT(report.makespan_s, 10 * report.devices[0].busy_s + 1);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int many = 32;  // sanitizers make threads dear
#else
constexpr int many = 1024;
#endif

TEST(Crew, WakesADeviceThatHelpsLittleOnlyWhenOthersAreLate) {
  Devices devices;
  devices.push_back(std::make_unique<test::AsynchronousDevice>("fast", true));
  devices.push_back(std::move(test::host_devices(1).front()));
  Scheduler scheduler(std::move(devices));
  std::atomic<bool> is_stuck{false};
  JobOptions options;
  options.granule_items = 1;
  const auto run = [&](std::uint64_t items) {
    const auto work = [&](const Chunk& chunk) {
      for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) work_for(chunk.device == 1 ? 5ms : 50us);
      if (chunk.device == 0 && is_stuck) std::this_thread::sleep_for(200ms);
    };
    return scheduler.launch(items, work, options);
  };
  run(2000);
  EXPECT_GT(run(2000).devices[1].items, 0u);
  const auto is_left_asleep = [](const Report& report) {
    return report.devices[1].chunks == 0 && to_text(report).find("would have spared less") != std::string::npos;
  };
  // On a busy machine the fast one may be late by itself.
  int tries = 1;
  while (!is_left_asleep(run(60)) && tries < 50) ++tries;
  EXPECT_LT(tries, 50);
  is_stuck = true;
  EXPECT_GT(run(60).devices[1].items, 0u);
}

TEST(Crew, RunsOneItemADeviceOnManyDevices) {
  Scheduler scheduler(SchedulerOptions{.devices = "host:" + std::to_string(many), .trace = {}});
  for (int job = 0; job < 20; ++job) {
    std::atomic<int> runs{0};
    const Report report = scheduler.parallel_for(many, [&](std::uint64_t) { ++runs; });
    EXPECT_EQ(runs, many);
    EXPECT_EQ(report.items_done, static_cast<std::uint64_t>(many));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Crew, SaysWhichDeviceTheSystemGivesNoThreadFor) {
  const pid_t child = fork();
  if (child == 0) {
    // Address space for some ten stacks.
    std::uint64_t pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%lu", &pages) != 1) _exit(2);
      std::fclose(file);
    }
    const rlim_t bytes = pages * 4096 + (std::uint64_t{100} << 20);
    const rlimit limit{bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(3);
    try {
      const Scheduler scheduler(test::host_devices(64));
    } catch (const InputError& error) {
      const std::string text = error.what();
      _exit(text.find("host:") != std::string::npos && text.find("thread") != std::string::npos ? 0 : 4);
    } catch (...) {
      _exit(5);
    }
    _exit(6);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

TEST(Crew, TakesOptionsAfterTheBodyOfASum) {
  Scheduler scheduler(test::host_devices(2));
  JobOptions options;
  options.granule_items = 4;
  const auto sum = scheduler.parallel_reduce(
      100, std::uint64_t{5}, [](std::uint64_t i) { return i; }, options);
  EXPECT_EQ(sum.value, 4955u);
  EXPECT_EQ(sum.report.granule_items, 4u);
}

TEST(Crew, CountsTheAddingUpOfAReductionInTheMakespan) {
  Scheduler scheduler(test::host_devices(1));
  struct Slow {
    std::uint64_t value;
  };
  const auto begin = std::chrono::steady_clock::now();
  JobOptions options;
  options.granule_items = 1;
  const auto sum = scheduler.parallel_reduce(
      100, Slow{0}, [](std::uint64_t i) { return Slow{i}; },
      [](const Slow& a, const Slow& b) {
        work_for(1ms);
        return Slow{a.value + b.value};
      },
      options);
  const double waited_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(sum.value.value, 4950u);
  EXPECT_GE(sum.report.makespan_s, 0.1);
  EXPECT_LE(sum.report.makespan_s, waited_s);
}

TEST(Crew, AsksADeviceOnTheThreadThatAttachedIt) {
  Devices devices = test::host_devices(1);
  auto watchful = std::make_unique<test::WatchfulDevice>(std::move(devices[0]));
  const test::WatchfulDevice& device = *watchful;
  devices[0] = std::move(watchful);
  Scheduler scheduler(std::move(devices));
  EXPECT_EQ(scheduler.parallel_reduce(1000, 0, [](std::uint64_t) { return 1; }).value, 1000);
  scheduler.launch(1000, [](const Chunk&) {});
  EXPECT_EQ(device.strangers(), 0);
}

TEST(Crew, LosesADeviceWhosePollThrows) {
  Devices devices = test::host_devices(2);
  devices[1] = std::make_unique<test::PollThrowingDevice>(std::move(devices[1]), 1);
  Scheduler scheduler(std::move(devices));
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:10";
  // On a busy machine its thread may come too late for a Job.
  for (int tries = 0; tries < 100; ++tries) {
    const auto reduced = scheduler.parallel_reduce(
        2000, 0,
        [](std::uint64_t) {
          work_for(10us);
          return 1;
        },
        options);
    ASSERT_EQ(reduced.value, 2000);
    if (!reduced.report.devices[1].failed) continue;
    EXPECT_NE(reduced.report.devices[1].failure.find("its poll() threw: gone for the test"), std::string::npos)
        << reduced.report.devices[1].failure;
    return;
  }
  FAIL() << "it was never asked for anything";
}

TEST(Crew, FailsWhenThePollOfItsOnlyDeviceThrows) {
  Devices devices = test::host_devices(1);
  devices[0] = std::make_unique<test::PollThrowingDevice>(std::move(devices[0]), 1);
  Scheduler scheduler(std::move(devices));
  EXPECT_THROW(scheduler.parallel_for(1000, [](std::uint64_t) {}), DeviceError);
}

TEST(Crew, WritesTheTraceThatTheEnvironmentAsksFor) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  setenv("SKUA_TRACE", path.c_str(), 1);
  Scheduler scheduler(test::host_devices(2));
  unsetenv("SKUA_TRACE");
  JobOptions options;
  options.policy = "fixed:1";  // of one granule nobody asks for the rest
  scheduler.parallel_for(
      1000, [](std::uint64_t) {}, options);
  std::ifstream file(path);
  const auto events = nlohmann::json::parse(file);
  std::uint64_t items = 0;
  for (const auto& event : events) {
    if (event["name"] == "chunk") items += event["args"]["items"].get<std::uint64_t>();
  }
  EXPECT_EQ(items, 1000u);
}

TEST(Crew, TellsTheBackendsWhetherGpusAreToReachOneAnother) {
  static std::vector<bool> told;
  register_backend("peers", [](const std::string&, const Topology&, const Clock&, const OpenOptions& options) {
    told.push_back(options.peers);
    return test::host_devices(1);
  });
  Scheduler({.devices = "peers"});
  Scheduler({.devices = "peers", .peers = false});
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
}

TEST(Crew, OpensThisMachineWithoutForking) {
  static std::atomic<int> forks{0};
  ASSERT_EQ(pthread_atfork([] { ++forks; }, nullptr, nullptr), 0);
  SchedulerOptions options;
  options.devices = "host:1";
  Scheduler scheduler(options);
  EXPECT_EQ(scheduler.parallel_for(10, [](std::uint64_t) {}).items_done, 10u);
  EXPECT_EQ(forks, 0);
}

}  // namespace
}  // namespace skua
