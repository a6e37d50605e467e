// When the runtime is asked about kernels that mark their ends, over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <thread>

#include <gpu/backend.hpp>
#include <skua/detail/gpu_code.hpp>

#include "support/hip_stub.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

/// A kernel of skua's own kind that takes as long as the test says; it may leave out the mark.
class MarkingKernel final : public Kernel, public GpuCode {
 public:
  void run_on_host(const Chunk&) const override {}
  const Code* code(std::string_view name) const noexcept override { return name == GpuCode::backend ? this : nullptr; }
  void start(const Chunk& chunk, const GpuPart& part) const override {
    const auto stream = static_cast<hipStream_t>(chunk.stream);
    hip_stub::enqueue(stream, takes, [&] {
      if (marks && takes == 0ns) *part.end_mark = 1;
    });
    last = part;
  }

  std::chrono::nanoseconds takes{0};
  bool marks = true;
  mutable GpuPart last;
};

class GpuQuestion : public testing::Test {
 protected:
  GpuQuestion() : devices(open_gpus("0", Topology{}, clock)), device(*devices[0]) {
    device.attach();
    stub.question_takes = 5us;
    stub.streams_asked = 0;
    stub.barriers = 0;
  }
  void launch() {
    Chunk chunk;
    chunk.end = 100;
    ASSERT_FALSE(device.launch(kernel, chunk, ++number).has_value());
  }
  /// How long the next completion was waited for.
  std::chrono::nanoseconds wait(std::optional<Completion>& completion) {
    const auto begin = std::chrono::steady_clock::now();
    while (!(completion = device.poll()) && std::chrono::steady_clock::now() - begin < 5s) continue;
    return std::chrono::steady_clock::now() - begin;
  }

  hip_stub::State& stub = hip_stub::reset();
  const SteadyClock clock;
  const Devices devices;
  Device& device;
  MarkingKernel kernel;
  std::uint64_t number = 0;
};

TEST_F(GpuQuestion, IsNotPutWhereLaunchesMarkTheirEndsInTime) {
  for (int launches = 0; launches < 200; ++launches) {
    launch();
    ASSERT_TRUE(device.poll().has_value());
  }
  EXPECT_EQ(stub.streams_asked, 0);
  EXPECT_EQ(stub.barriers, 0);
}

TEST_F(GpuQuestion, IsNotPutAtTheFirstLookOfALaunchHoweverLongTheDeviceWasIdle) {
  std::this_thread::sleep_for(20ms);
  kernel.takes = 1h;
  launch();
  for (const auto until = std::chrono::steady_clock::now() + 2ms; std::chrono::steady_clock::now() < until;) {
    ASSERT_FALSE(device.poll().has_value());
  }
  EXPECT_EQ(stub.streams_asked + stub.barriers, 0);
  *kernel.last.end_mark = 1;
  EXPECT_TRUE(device.poll().has_value());
}

TEST_F(GpuQuestion, IsPutFromTenMillisecondsOnEverMoreSeldom) {
  kernel.takes = 1h;
  launch();
  for (const auto until = std::chrono::steady_clock::now() + 200ms; std::chrono::steady_clock::now() < until;) {
    ASSERT_FALSE(device.poll().has_value());
  }
  EXPECT_EQ(stub.barriers, 1) << "one event stands behind the launch, which is looked at from then on";
  EXPECT_EQ(stub.streams_asked, 0);
  *kernel.last.end_mark = 1;
  EXPECT_TRUE(device.poll().has_value());
}

TEST_F(GpuQuestion, FindsTheEndOfAKernelThatNeverMarksIt) {
  kernel.marks = false;
  kernel.takes = 1ms;
  launch();
  std::optional<Completion> completion;
  EXPECT_GE(wait(completion), 9ms);
  ASSERT_TRUE(completion.has_value());
  EXPECT_FALSE(completion->failure.has_value());
}

TEST_F(GpuQuestion, FindsAGpuThatIsLost) {
  kernel.takes = 1h;
  launch();
  stub.context_lost = true;
  std::optional<Completion> completion;
  wait(completion);
  ASSERT_TRUE(completion.has_value());
  ASSERT_TRUE(completion->failure.has_value());
  EXPECT_EQ(completion->failure->kind, Failure::Kind::lost);
}

TEST_F(GpuQuestion, LetsTheRuntimeForgetLaunchesNowAndThen) {
  for (int launches = 0; launches < 2'000; ++launches) {
    launch();
    ASSERT_TRUE(device.poll().has_value());
  }
  EXPECT_GE(stub.barriers, 2'000 / 500);
  EXPECT_LE(stub.barriers, 2'000 / 250);
  EXPECT_EQ(stub.streams_asked, 0);
}

}  // namespace
}  // namespace skua
