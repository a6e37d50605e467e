// Chunks that are dropped while a GPU runs them, over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <gpu/backend.hpp>
#include <skua/detail/gpu_code.hpp>

#include "support/counting_kernel.hpp"
#include "support/hip_stub.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t items = 1'000;
constexpr std::uint64_t granule = 10;
constexpr std::uint64_t warps = 4;

/// A kernel of skua's own kind; it runs until the test says what it has done.
class HeldKernel final : public Kernel, public GpuCode {
 public:
  void run_on_host(const Chunk&) const override {}
  const Code* code(std::string_view name) const noexcept override { return name == GpuCode::backend ? this : nullptr; }
  std::optional<GpuRounds> rounds(const Chunk& chunk, const GpuPart&) const override {
    if (!looks) return std::nullopt;
    return GpuRounds{chunk.items(), chunk.granule, 5 * warps, 5};
  }
  GpuNeeds needs(const Chunk&) const override { return {0, zero_count}; }
  void start(const Chunk& chunk, const GpuPart& part) const override {
    streams.push_back(static_cast<hipStream_t>(chunk.stream));
    parts.push_back(part);
    hip_stub::hold(streams.back());
  }

  bool was_told(std::size_t launch) const { return *parts[launch].dropped != 0; }

  /// Ends the launch; `rounds_done` of a kernel that has stopped early.
  void finish(std::size_t launch, const std::vector<std::uint64_t>& rounds_done = {}, std::uint64_t mark = 1) const {
    std::copy(rounds_done.begin(), rounds_done.end(), parts[launch].rounds_done);
    *parts[launch].end_mark = mark;
    hip_stub::release(streams[launch]);
  }

  static constexpr std::size_t zero_count = 100;
  bool looks = true;
  mutable std::vector<hipStream_t> streams;
  mutable std::vector<GpuPart> parts;
};

/// A runtime whose GPUs' clock counts nanoseconds.
hip_stub::State& fresh_stub() {
  hip_stub::State& stub = hip_stub::reset();
  stub.wall_clock_khz = 1'000'000;
  return stub;
}

class GpuDrop : public testing::Test {
 protected:
  GpuDrop() : devices(open_gpus("0", Topology{}, clock)), device(*devices[0]) { device.attach(); }

  void launch(const Kernel& launched, std::uint64_t number) {
    Chunk chunk;
    chunk.end = items;
    chunk.granule = granule;
    chunk.drop = {&drop, number};
    ASSERT_FALSE(device.launch(launched, chunk, number).has_value());
  }
  /// Drops the launches up to this number.
  void drop_from(std::uint64_t number) { drop = number; }

  hip_stub::State& stub = fresh_stub();
  const SteadyClock clock;
  const Devices devices;
  Device& device;
  std::atomic<std::uint64_t> drop{0};
  HeldKernel kernel;
};

TEST_F(GpuDrop, TellsTheKernelAndSaysWhichGranulesItRanWhole) {
  launch(kernel, 1);
  EXPECT_FALSE(device.poll().has_value());
  EXPECT_FALSE(kernel.was_told(0));
  drop_from(1);
  EXPECT_FALSE(device.poll().has_value());
  EXPECT_TRUE(kernel.was_told(0));
  // Pieces of round r and warp w are 20 r + 5 w and the four after it: granule 2 r + w / 2.
  kernel.finish(0, {2, 3, 1, 2});
  const auto completion = device.poll();
  ASSERT_TRUE(completion.has_value());
  EXPECT_FALSE(completion->failure.has_value());
  EXPECT_FALSE(completion->whole);
  ASSERT_EQ(completion->done_before_drop.size(), 1u) << "0, 1 and 2";
  EXPECT_EQ(completion->done_before_drop[0].first, 0u);
  EXPECT_EQ(completion->done_before_drop[0].last, 3u);
}

TEST_F(GpuDrop, CallsAChunkWholeWhoseKernelDidNotStopForIt) {
  launch(kernel, 1);
  drop_from(1);
  EXPECT_FALSE(device.poll().has_value());
  kernel.finish(0);
  const auto completion = device.poll();
  ASSERT_TRUE(completion.has_value());
  EXPECT_TRUE(completion->whole);
  EXPECT_TRUE(completion->done_before_drop.empty());
}

TEST_F(GpuDrop, CallsAChunkWholeThatHadEndedWhenItWasDropped) {
  launch(kernel, 1);
  kernel.finish(0);
  drop_from(1);
  const auto completion = device.poll();
  ASSERT_TRUE(completion.has_value());
  EXPECT_TRUE(completion->whole);
}

TEST_F(GpuDrop, TellsOnlyTheLaunchThatIsDropped) {
  launch(kernel, 2);
  launch(kernel, 1);
  drop_from(1);
  EXPECT_FALSE(device.poll().has_value());
  EXPECT_FALSE(kernel.was_told(0));
  EXPECT_TRUE(kernel.was_told(1)) << "it may stop before it begins";
  kernel.finish(1, std::vector<std::uint64_t>(warps, 0));
  EXPECT_FALSE(device.poll().has_value()) << "launches end in their order";
  kernel.finish(0);
  EXPECT_TRUE(device.poll()->whole);
  const auto dropped = device.poll();
  ASSERT_TRUE(dropped.has_value());
  EXPECT_FALSE(dropped->whole);
  EXPECT_TRUE(dropped->done_before_drop.empty());
}

TEST_F(GpuDrop, LeavesNothingBehindForTheNextLaunches) {
  for (const std::uint64_t number : {1u, 2u}) launch(kernel, number);
  drop_from(2);
  EXPECT_FALSE(device.poll().has_value());
  for (const std::size_t place : {0u, 1u}) {
    // A reduction that stops early leaves arrivals behind.
    std::fill_n(kernel.parts[place].zeros, HeldKernel::zero_count, 5u);
    kernel.finish(place, {1, 0, 1, 0});
    ASSERT_TRUE(device.poll().has_value());
  }
  for (const std::uint64_t number : {3u, 4u}) launch(kernel, number);
  for (const std::size_t place : {2u, 3u}) {
    const GpuPart& part = kernel.parts[place];
    EXPECT_FALSE(kernel.was_told(place));
    EXPECT_EQ(std::count(part.zeros, part.zeros + HeldKernel::zero_count, 0u), HeldKernel::zero_count);
    EXPECT_EQ(std::count(part.rounds_done, part.rounds_done + warps, ~std::uint64_t{0}), warps);
    kernel.finish(place);
    EXPECT_TRUE(device.poll()->whole);
  }
}

TEST_F(GpuDrop, StartsNothingWhereAnEarlierDropMightReachIt) {
  launch(kernel, 1);
  drop_from(1);
  stub.record = hipErrorInvalidHandle;
  EXPECT_FALSE(device.poll().has_value());
  stub.record = hipSuccess;
  kernel.finish(0, {1, 1, 1, 1});
  ASSERT_TRUE(device.poll().has_value());
  launch(kernel, 2);
  kernel.finish(1);
  ASSERT_TRUE(device.poll()->whole) << "the other slot is in order";
  Chunk chunk;
  chunk.end = items;
  EXPECT_TRUE(device.launch(kernel, chunk, 3).has_value());
  EXPECT_EQ(kernel.parts.size(), 2u);
}

TEST_F(GpuDrop, LetsAKernelThatDoesNotLookRunToItsEnd) {
  kernel.looks = false;
  launch(kernel, 1);
  drop_from(1);
  EXPECT_FALSE(device.poll().has_value());
  EXPECT_FALSE(kernel.was_told(0));
  kernel.finish(0);
  EXPECT_TRUE(device.poll()->whole);
}

TEST_F(GpuDrop, LetsALauncherOfTheUsersRunToItsEnd) {
  const test::CountingKernel counting(items, 1us);
  launch(counting, 1);
  drop_from(1);
  std::optional<Completion> completion;
  while (!(completion = device.poll())) {
  }
  EXPECT_TRUE(completion->whole);
  counting.expect_all_once();
}

TEST_F(GpuDrop, LooksBeforeTheFirstRoundOnlyBehindALaunchThatMayBeLong) {
  for (const std::uint64_t number : {1u, 2u}) launch(kernel, number);
  EXPECT_FALSE(kernel.parts[0].looks_first);
  EXPECT_TRUE(kernel.parts[1].looks_first) << "nothing is known yet";
  for (const std::size_t place : {0u, 1u}) {
    kernel.finish(place);
    ASSERT_TRUE(device.poll().has_value());
  }
  // The second has ended at once after the first.
  for (const std::uint64_t number : {3u, 4u}) launch(kernel, number);
  EXPECT_FALSE(kernel.parts[3].looks_first);
  for (const std::size_t place : {2u, 3u}) kernel.finish(place);
  while (device.poll()) {
  }
}

TEST_F(GpuDrop, EndsALaunchThatStoppedBeforeTheOneBeforeItNoLaterThanThat) {
  launch(kernel, 1);
  kernel.finish(0, {}, 1'000'000);
  const auto before = device.poll();
  ASSERT_TRUE(before.has_value());
  launch(kernel, 3);
  launch(kernel, 2);
  drop_from(2);
  EXPECT_FALSE(device.poll().has_value());
  // By the GPU's clock the second of them ends 2 ms before the first.
  kernel.finish(1, {}, 5'000'000);
  kernel.finish(2, std::vector<std::uint64_t>(warps, 0), 3'000'000);
  std::this_thread::sleep_for(10ms);
  const auto first = device.poll();
  const auto second = device.poll();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->end_ns, std::max(first->begin_ns, before->end_ns + 4'000'000));
  EXPECT_EQ(second->end_ns, first->end_ns);
}

}  // namespace
}  // namespace skua
