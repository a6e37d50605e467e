// Jobs over the GPU backend, over a HIP runtime without GPUs.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gpu/backend.hpp>
#include <skua/input.hpp>
#include <skua/scheduler.hpp>

#include "support/counting_kernel.hpp"
#include "support/hip_stub.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;
using test::CountingKernel;

Devices open(const std::string& argument = "") {
  static const SteadyClock clock;
  return open_gpus(argument, Topology{}, clock);
}

/// Sets a variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

std::vector<std::string> names_of(const Devices& devices) {
  std::vector<std::string> names;
  for (const auto& device : devices) names.push_back(device->info().name);
  return names;
}

std::string complaint_about(const std::string& argument) {
  try {
    open(argument);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class GpuJobs : public testing::Test {
 protected:
  hip_stub::State& stub = hip_stub::reset();
};

TEST_F(GpuJobs, RunsEveryItemOnceOverSeveralGpus) {
  auto kernel = std::make_shared<CountingKernel>(20'000, 100ns);
  Scheduler scheduler(open());
  const Report report = scheduler.run(20'000, kernel);
  EXPECT_EQ(report.items_done, 20'000u);
  kernel->expect_all_once();
}

TEST_F(GpuJobs, LetsOtherGpusGoOnWhileTheQueriesOfOneStall) {
  std::atomic<int> queries{0};
  stub.on_query = [&](int device) {
    if (device == 2 && ++queries % 10 == 0) std::this_thread::sleep_for(40ms);
    return hipSuccess;
  };
  auto kernel = std::make_shared<CountingKernel>(4'000, 20us);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:10";
  Scheduler scheduler(open());
  const Report report = scheduler.run(4'000, kernel, options);
  kernel->expect_all_once();
  std::uint64_t others = 0;
  for (const std::size_t other : {0u, 1u, 3u}) others += report.devices[other].items;
  EXPECT_GT(others / 3, report.devices[2].items);
  EXPECT_GT(report.devices[2].slow_calls, 0u);
  EXPECT_NE(to_text(report).find("took longer than 10 ms"), std::string::npos);
}

TEST_F(GpuJobs, CallsEachGpuWithItselfAsTheCurrentOne) {
  ASSERT_EQ(hipSetDevice(2), hipSuccess);
  Scheduler scheduler(open());
  scheduler.launch(1000, [](const Chunk& chunk) {
    hip_stub::enqueue(static_cast<hipStream_t>(chunk.stream), 1us, [] {});
    static_cast<void>(hipSetDevice(0));
  });
  for (const auto& [of_stream, current] : stub.launched) EXPECT_EQ(of_stream, current);
  int callers = -1;
  EXPECT_EQ(hipGetDevice(&callers), hipSuccess);
  EXPECT_EQ(callers, 2);
}

TEST_F(GpuJobs, RetiresAGpuWhoseLaunchFailsAndRunsItsItemsElsewhere) {
  std::atomic<int> queries{0};
  stub.on_query = [&](int device) { return device == 1 && ++queries > 5 ? hipErrorLaunchFailure : hipSuccess; };
  auto kernel = std::make_shared<CountingKernel>(8'000, 1us);
  JobOptions options;
  options.granule_items = 1;
  Scheduler scheduler(open());
  const Report report = scheduler.run(8'000, kernel, options);
  EXPECT_EQ(report.items_done, 8'000u);
  EXPECT_TRUE(report.devices[1].failed);
  EXPECT_NE(report.devices[1].failure.find("gpu:1"), std::string::npos);
}

TEST_F(GpuJobs, ForksNothingWhileItsGpusAreOpen) {
  static std::atomic<int> forks{0};
  ASSERT_EQ(pthread_atfork([] { ++forks; }, nullptr, nullptr), 0);
  Scheduler scheduler(open());
  auto kernel = std::make_shared<CountingKernel>(4'000, 20us);
  EXPECT_EQ(scheduler.run(4'000, kernel).items_done, 4'000u);
  EXPECT_EQ(forks, 0);
}

using GpuOpening = GpuJobs;

TEST_F(GpuOpening, LetsGpusReachOneAnotherUnlessThatIsOff) {
  static const SteadyClock clock;
  OpenOptions options;
  open_gpus("", Topology{}, clock, options);
  EXPECT_EQ(stub.peers_enabled, 12) << "each of four GPUs reaches three";
  stub.peers_enabled = 0;
  stub.peers_asked = 0;
  options.peers = false;
  EXPECT_EQ(open_gpus("", Topology{}, clock, options).size(), 4u);
  EXPECT_EQ(stub.peers_enabled, 0);
  EXPECT_EQ(stub.peers_asked, 0);
}

TEST_F(GpuOpening, GivesEachRankOfANodeItsGpusAndMakesNoContextOnOthers) {
  const Variable size("OMPI_COMM_WORLD_LOCAL_SIZE", "2");
  {
    const Variable rank("OMPI_COMM_WORLD_LOCAL_RANK", "1");
    EXPECT_EQ(names_of(open("local")), (std::vector<std::string>{"gpu:2", "gpu:3"}));
    EXPECT_EQ(stub.contexts, (std::set<int>{2, 3}));
    EXPECT_EQ(stub.peers_enabled, 2) << "peers are the rank's own GPUs";
  }
  const Variable rank("OMPI_COMM_WORLD_LOCAL_RANK", "0");
  EXPECT_EQ(names_of(open("local")), (std::vector<std::string>{"gpu:0", "gpu:1"}));
}

TEST_F(GpuOpening, SaysInTheReportThatRanksShareAGpu) {
  stub.devices = 2;
  const Variable size("MPI_LOCALNRANKS", "4");
  const Variable rank("MPI_LOCALRANKID", "3");
  Scheduler scheduler(open("local"));
  const Report report = scheduler.run(100, std::make_shared<CountingKernel>(100, 1us));
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].name, "gpu:1");
  EXPECT_NE(to_text(report).find("rank 3 of 4 on this node shares gpu:1 with others"), std::string::npos)
      << to_text(report);
}

TEST_F(GpuOpening, TouchesNoGpuWhereNoLauncherTellsTheRank) {
  EXPECT_NE(complaint_about("local").find("devices gpu:local: no launcher"), std::string::npos);
  EXPECT_NE(complaint_about("local").find("SLURM_LOCALID"), std::string::npos);
  EXPECT_TRUE(stub.contexts.empty());
}

TEST_F(GpuOpening, TakesLocalAloneOnly) {
  for (const char* wrong : {"local,0", "0,local", "local/2"}) {
    EXPECT_NE(complaint_about(wrong).find("local stands for whole GPUs"), std::string::npos) << complaint_about(wrong);
  }
}

/// What of a device's chunks runs in which slot, and when.
class SlotKernel final : public Kernel, public LaunchCode {
 public:
  struct Run {
    std::uint32_t device = 0;
    std::uint32_t slot = 0;
    std::chrono::steady_clock::time_point begin, end;
  };
  explicit SlotKernel(bool overlaps) : overlaps_(overlaps) {}
  void run_on_host(const Chunk&) const override {}
  const Code* code(std::string_view) const noexcept override { return this; }
  Unit unit() const noexcept override { return Unit::chunk; }
  bool overlaps() const noexcept override { return overlaps_; }
  void start(const Chunk& chunk) const override {
    auto* const stream = static_cast<hipStream_t>(chunk.stream);
    Run run{chunk.device, chunk.slot, std::max(hip_stub::begin_of_next(stream), std::chrono::steady_clock::now()), {}};
    hip_stub::enqueue(stream, 10us * chunk.items(), [] {});
    run.end = hip_stub::begin_of_next(stream);
    const std::lock_guard lock(mutex);
    runs.push_back(run);
  }
  mutable std::mutex mutex;
  mutable std::vector<Run> runs;

  /// Pairs that ran at once on one device.
  std::vector<std::pair<Run, Run>> meetings() const {
    std::vector<std::pair<Run, Run>> pairs;
    for (const auto& one : runs) {
      for (const auto& other : runs) {
        if (one.device == other.device && one.begin < other.begin && other.begin < one.end) {
          pairs.emplace_back(one, other);
        }
      }
    }
    return pairs;
  }

 private:
  bool overlaps_;
};

TEST_F(GpuJobs, GivesChunksOfOneDeviceThatRunAtOnceDifferentSlots) {
  auto kernel = std::make_shared<SlotKernel>(true);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:10";
  Scheduler scheduler(open("0,1"));
  scheduler.run(2'000, kernel, options);
  EXPECT_FALSE(kernel->meetings().empty());
  for (const auto& [one, other] : kernel->meetings()) EXPECT_NE(one.slot, other.slot);
  for (const auto& run : kernel->runs) EXPECT_LT(run.slot, scheduler.device(run.device).can.slots_max);
}

TEST_F(GpuJobs, RunsChunksThatMustNotMeetOneBehindAnother) {
  auto kernel = std::make_shared<SlotKernel>(false);
  JobOptions options;
  options.granule_items = 1;
  options.policy = "fixed:10";
  Scheduler scheduler(open("0,1"));
  EXPECT_EQ(scheduler.run(2'000, kernel, options).items_done, 2'000u);
  EXPECT_TRUE(kernel->meetings().empty());
}

TEST_F(GpuJobs, TakesALauncherThatIsMarkedForOneWhoseChunksMustNotMeet) {
  const auto launcher = [](const Chunk&) {};
  EXPECT_TRUE(LaunchKernel(launcher).overlaps());
  EXPECT_FALSE(LaunchKernel(one_at_a_time(launcher)).overlaps());
  Scheduler scheduler(open("0"));
  std::atomic<std::uint64_t> items{0};
  scheduler.launch(1'000, one_at_a_time([&](const Chunk& chunk) { items += chunk.items(); }));
  EXPECT_EQ(items, 1'000u);
}

using GpuExit = GpuJobs;

void use(Scheduler& scheduler) {
  scheduler.run(100, std::make_shared<CountingKernel>(100, 1us));
}

TEST_F(GpuExit, CallsNothingAfterMainWhenASchedulerIsGlobal) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        static Scheduler scheduler(open());
        use(scheduler);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(GpuExit, CallsNothingAfterMainWhenASchedulerIsNeverDestroyed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto* const scheduler = new Scheduler(open());
        use(*scheduler);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(GpuExit, LeavesByTheCodeThatABodyExitsWith) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto* const scheduler = new Scheduler(open());
        scheduler->launch(100, [](const Chunk&) { std::exit(3); });
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace skua
