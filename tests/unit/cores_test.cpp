// The threads that oneTBB lends to a device of the host.
#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <host/host_device.hpp>
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

/// A device of two cores, and what it makes of one chunk of 64 granules of 10 items; the last one has 3.
class TwoCores : public testing::Test {
 protected:
  void SetUp() override {
    const auto cpus = this_thread_cpus();
    if (!cpus || cpus->cpus().size() < 2) GTEST_SKIP() << "one core only";
    DeviceInfo info;
    info.name = "host:0";
    info.cpus = *cpus;
    device = std::make_unique<HostDevice>(info, 2, test::steady_clock());
  }

  template <class Launcher>
  Completion run(Launcher launcher, Drop drop = {}) {
    Chunk chunk;
    chunk.begin = 1000;
    chunk.end = 1633;
    chunk.granule = 10;
    chunk.drop = drop;
    const LaunchKernel<Launcher> kernel(std::move(launcher));
    EXPECT_FALSE(device->launch(kernel, chunk, 1));
    return *device->poll();
  }

  std::unique_ptr<HostDevice> device;
};

TEST_F(TwoCores, TellHowLongTheyStoodStillInsideAChunk) {
  Chunk chunk;
  chunk.end = 1;
  const auto nap = [](std::uint64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const ForKernel<decltype(nap)> kernel(nap);
  EXPECT_FALSE(device->launch(kernel, chunk, 1));
  const Completion completion = *device->poll();
  // One of them has nothing to do for as long as the other one runs the only granule.
  const std::int64_t took_ns = completion.end_ns - completion.begin_ns;
  EXPECT_GE(completion.idle_ns, 10'000'000);
  EXPECT_LE(completion.idle_ns, took_ns - 10'000'000);
}

/// The first one inside waits for a second one, or for long.
class Meeting {
 public:
  void enter() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    if (++inside_ > 1) return;
    while (inside_ < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    took_place_ = inside_ >= 2;
  }
  bool took_place() const { return took_place_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<bool> took_place_{false};
};

TEST_F(TwoCores, RunALauncherOnBothAtOnce) {
  Meeting meeting;
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  const Completion completion = run([&](const Chunk& piece) {
    meeting.enter();
    const std::lock_guard lock(mutex);
    pieces.emplace_back(piece.begin, piece.end);
  });
  EXPECT_TRUE(completion.whole);
  EXPECT_TRUE(meeting.took_place());
  std::sort(pieces.begin(), pieces.end());
  std::uint64_t next = 1000;
  for (const auto& [begin, end] : pieces) {
    EXPECT_EQ(begin, next);
    EXPECT_TRUE(end % 10 == 0 || end == 1633) << end;
    next = end;
  }
  EXPECT_EQ(next, 1633u);
}

TEST_F(TwoCores, GiveAWholeChunkToALauncherThatIsParallelItself) {
  std::atomic<int> calls{0};
  const auto launcher = [&](const Chunk& chunk) {
    ++calls;
    EXPECT_EQ(chunk.begin, 1000u);
    EXPECT_EQ(chunk.end, 1633u);
  };
  EXPECT_TRUE(run(whole_chunks(launcher)).whole);
  EXPECT_EQ(calls, 1);
}

TEST_F(TwoCores, SayWhichPiecesWereRunWholeWhenOneThrows) {
  std::mutex mutex;
  std::set<std::uint64_t> done;
  const Completion completion = run([&](const Chunk& piece) {
    if (piece.end > 1400) throw std::runtime_error("no more");
    const std::lock_guard lock(mutex);
    for (std::uint64_t item = piece.begin; item < piece.end; item += 10) done.insert((item - 1000) / 10);
  });
  ASSERT_TRUE(completion.failure.has_value());
  EXPECT_EQ(completion.failure->message, "no more");
  std::set<std::uint64_t> told;
  for (const GranuleRange& range : completion.done_before_drop) {
    for (std::uint64_t granule = range.first; granule != range.last; ++granule) told.insert(granule);
  }
  EXPECT_EQ(told, done);
}

TEST_F(TwoCores, BeginNoPieceOfAChunkThatIsDropped) {
  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint64_t> items{0};
  const Completion completion = run(
      [&](const Chunk& piece) {
        items += piece.items();
        word = 1;
      },
      Drop{&word, 1});
  EXPECT_FALSE(completion.whole);
  std::uint64_t told = 0;
  for (const GranuleRange& range : completion.done_before_drop) {
    told += range.last == 64 ? (range.last - range.first) * 10 - 7 : (range.last - range.first) * 10;
  }
  EXPECT_EQ(told, items);
  EXPECT_LT(items, 633u);
}

TEST(OneCore, RunsAGranuleOfWhatOthersAskForAndNoneOfWhatNobodyWants) {
  const auto granules_run = [](Drop drop) {
    const Devices devices = test::host_devices(1);
    Chunk chunk;
    chunk.end = 100;
    chunk.granule = 10;
    chunk.drop = drop;
    std::atomic<int> items{0};
    const auto count = [&](std::uint64_t) { ++items; };
    const ForKernel<decltype(count)> kernel(count);
    EXPECT_FALSE(devices.front()->launch(kernel, chunk, 1));
    while (!devices.front()->poll()) {
    }
    return items / 10;
  };
  const std::atomic<std::uint64_t> asked{5};
  const std::atomic<std::uint64_t> stopped{4};
  EXPECT_EQ(granules_run({&asked, 3, 5}), 1);
  EXPECT_EQ(granules_run({&stopped, 3, 5}), 0);
}

}  // namespace
}  // namespace skua
