// What Schedulers over real GPUs leave behind: nothing that grows.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include <skua/detail/hip_names.hpp>

#include "support/gpu_counters.hpp"
#include "support/loops_on_gpu.hpp"

namespace skua {
namespace {

using namespace gpu_api;

constexpr std::size_t mib = std::size_t{1} << 20;

class MemoryOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess || count == 0) GTEST_SKIP() << "there is no GPU";
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
  }
  static std::size_t free_bytes() {
    std::size_t free = 0;
    std::size_t all = 0;
    EXPECT_EQ(hipMemGetInfo(&free, &all), hipSuccess);
    return free;
  }
  /// What of this process lies in the host's memory.
  static std::size_t resident_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word != "VmRSS:") continue;
      std::size_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
    ADD_FAILURE() << "/proc/self/status has no VmRSS";
    return 0;
  }
  static void use(const std::string& devices) {
    Scheduler scheduler(SchedulerOptions{.devices = devices, .trace = {}});
    EXPECT_EQ(sum_items(scheduler, 100'000, {}).value, 4'999'950'000u);
  }
};

TEST_F(MemoryOnGpu, OfTheGpuIsNotLostWithSchedulersOverItsParts) {
  for (const char* devices : {"gpu:0/4", "gpu:0/40+24+16", "gpu:0/8"}) use(devices);
  const std::size_t before = free_bytes();
  for (int round = 0; round < 10; ++round) {
    for (const char* devices : {"gpu:0/4", "gpu:0/40+24+16", "gpu:0/8"}) use(devices);
  }
  const std::size_t after = free_bytes();
  EXPECT_LT(before - std::min(before, after), 32 * mib);
}

TEST_F(MemoryOnGpu, OfTheSamePartsServesTwoSchedulersAtOnce) {
  Scheduler one(SchedulerOptions{.devices = "gpu:0/4", .trace = {}});
  {
    Scheduler other(SchedulerOptions{.devices = "gpu:0/4", .trace = {}});
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(sum_items(one, 100'000, {}).value, 4'999'950'000u);
      EXPECT_EQ(sum_items(other, 100'000, {}).value, 4'999'950'000u);
    }
  }
  EXPECT_EQ(sum_items(one, 100'000, {}).value, 4'999'950'000u) << "the other's end took something of it away";
}

TEST_F(MemoryOnGpu, OfTheHostIsGivenBackWhenASchedulerEnds) {
  use("gpu:0");
  const std::size_t before = resident_bytes();
  {
    Scheduler scheduler(SchedulerOptions{.devices = "gpu:0", .trace = {}});
    for (int power = 20; power <= 26; ++power) {
      const std::uint64_t items = std::uint64_t{1} << power;
      JobOptions options;
      options.granule_items = 1;
      EXPECT_EQ(sum_items(scheduler, items, options).value, items / 2 * (items - 1));
    }
  }
  const auto grown_bytes = [&] {
    const std::size_t after = resident_bytes();
    return after - std::min(before, after);
  };
  // Some of it in the background.
  for (int look = 0; look < 500 && grown_bytes() > 200 * mib; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LT(grown_bytes(), 200 * mib) << "the last results alone were 512 MiB";
}

}  // namespace
}  // namespace skua
