// Ends of processes on whose GPUs something hangs, over a HIP runtime that waits for it while exit() runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include <gpu/backend.hpp>
#include <gpu/measure.hpp>
#include <skua/scheduler.hpp>

#include "support/counting_kernel.hpp"
#include "support/hip_stub_kernels.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::Not;

class ExitBesideAHang : public testing::Test {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    hip_stub::kernels().exit_waits = true;
  }

  static Devices open() {
    static const SteadyClock clock;
    return open_gpus("", Topology{}, clock);
  }
  /// Ends the process as programs do: with handlers of their own, and something still to be written.
  [[noreturn]] static void leave(int code) {
    static char buffer[4096];
    std::setvbuf(stderr, buffer, _IOFBF, sizeof(buffer));
    std::fputs("left in the buffer\n", stderr);
    std::exit(code);
  }
  static void register_handler() {
    std::atexit([] { std::fputs("a handler ran\n", stderr); });
  }

  hip_stub::State& stub = hip_stub::reset();
};

const auto all_is_written = AllOf(HasSubstr("left in the buffer"), HasSubstr("a handler ran"));

TEST_F(ExitBesideAHang, KeepsItsCodeAndWhatItWroteWhereAGpuWasLeftOut) {
  EXPECT_EXIT(
      {
        register_handler();
        stub.dead = {1};
        Scheduler scheduler(open());
        scheduler.run(100, std::make_shared<test::CountingKernel>(100, 1us));
        leave(7);
      },
      ExitedWithCode(7), AllOf(all_is_written, HasSubstr("waits for a GPU that hangs")));
}

/// Returns how many links were looked at.
std::size_t measure_two_gpus() {
  Topology topology;
  for (const char* address : {"0000:c1:00.0", "0000:c2:00.0"}) {
    topology.gpus.emplace_back().pci = PciAddress::from_text(address);
  }
  return measure_links(topology).size();
}

TEST_F(ExitBesideAHang, KeepsItsCodeAndWhatItWroteWhereACopyWasGivenUp) {
  EXPECT_EXIT(
      {
        register_handler();
        stub.devices = 2;
        stub.hanging.insert({0, 1});
        const std::size_t links = measure_two_gpus();
        leave(links == 6 && is_measuring_stuck() ? 3 : 4);
      },
      ExitedWithCode(3), AllOf(all_is_written, HasSubstr("waits for a GPU that hangs")));
}

/// Runs a Job that does not end before the process.
void run_without_end(Scheduler& scheduler) {
  std::thread([&scheduler] {
    constexpr std::uint64_t items = 100;
    scheduler.run(items, std::make_shared<test::CountingKernel>(items, 1h));
  }).detach();
  std::this_thread::sleep_for(100ms);
}

TEST_F(ExitBesideAHang, KeepsItsCodeAndWhatItWroteWhereAJobIsLeftBehind) {
  EXPECT_EXIT(
      {
        register_handler();
        auto* const scheduler = new Scheduler(open());
        run_without_end(*scheduler);
        leave(9);
      },
      ExitedWithCode(9), AllOf(all_is_written, HasSubstr("waits for a GPU that hangs")));
}

TEST_F(ExitBesideAHang, IsLeftToTheRuntimeWhereNothingHangs) {
  EXPECT_EXIT(
      {
        register_handler();
        Scheduler scheduler(open());
        scheduler.run(100, std::make_shared<test::CountingKernel>(100, 1us));
        leave(is_measuring_stuck() ? 6 : 5);
      },
      ExitedWithCode(5), AllOf(all_is_written, Not(HasSubstr("waits for a GPU that hangs"))));
}

}  // namespace
}  // namespace skua
