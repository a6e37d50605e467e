// What holds for the devices of real GPUs, all that there are, whole and in parts. Without one, every test is skipped.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gpu/measure.hpp>
#include <skua/detail/hip_names.hpp>
#include <skua/skua.hpp>

#include "support/devices.hpp"
#include "support/gpu_counters.hpp"
#include "support/loops_on_gpu.hpp"

namespace skua {
namespace {

using namespace gpu_api;

constexpr const char* unequal_parts = "gpu:0/40+24+16+16+8+8+8";

SchedulerOptions over(const std::string& devices) {
  SchedulerOptions options;
  options.devices = devices;
  return options;
}

int gpu_count() {
  static const int known = [] {
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess) count = 0;
    static_cast<void>(hipGetLastError());
    return count;
  }();
  return known;
}

/// "gpu:0/2,1/2" for the suffix "/2" of a machine with two GPUs.
std::string every_gpu(const std::string& suffix) {
  std::string devices;
  for (int i = 0; i < gpu_count(); ++i) devices += (i == 0 ? "gpu:" : ",") + std::to_string(i) + suffix;
  return devices;
}

/// Why there is nothing to test; empty when there is.
std::string reason_to_skip() {
  return gpu_count() > 0 ? "" : "no GPU";
}

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!reason_to_skip().empty()) GTEST_SKIP() << reason_to_skip();
  }
};

/// 0 + 1 + ... + (items - 1), modulo 2^64.
std::uint64_t sum_below(std::uint64_t items) {
  return items % 2 == 0 ? items / 2 * (items - 1) : (items - 1) / 2 * items;
}

using Combination = std::tuple<std::string, std::string>;  // devices, policy

using test::Counters;

class GpuConformance : public testing::TestWithParam<Combination> {
 protected:
  void SetUp() override {
    if (!reason_to_skip().empty()) GTEST_SKIP() << reason_to_skip();
    scheduler = std::make_unique<Scheduler>(over(std::get<0>(GetParam())));
  }
  JobOptions options(std::uint64_t granule_items = 0) const {
    JobOptions made;
    made.policy = std::get<1>(GetParam());
    made.granule_items = granule_items;
    return made;
  }
  std::unique_ptr<Scheduler> scheduler;
};

TEST_P(GpuConformance, RunsEveryItemExactlyOnce) {
  for (const std::uint64_t items : {1u, 2u, 7u, 1009u, 1'104'729u}) {
    for (const std::uint64_t granule : {0u, 1u, 7u, 300u}) {
      if (granule > items) continue;
      const Counters runs(items);
      const Report report = count_runs(*scheduler, items, runs.values, options(granule));
      EXPECT_EQ(report.items_done, items);
      runs.expect_all(1);
    }
  }
}

TEST_P(GpuConformance, GivesTheBitsOfTheWholeGpuUnderThePolicyStatic) {
  if (std::get<0>(GetParam()).find("host") != std::string::npos) GTEST_SKIP() << "a host's bits are its own";
  Scheduler whole(over("gpu:0"));
  JobOptions plain;
  plain.policy = "static";
  for (const std::uint64_t granule : {1u, 5u, 64u, 1000u, 5000u, 100'000u}) {
    plain.granule_items = granule;
    const double expected = sum_harmonic(whole, 3'000'017, 0.5, plain).value;
    EXPECT_NEAR(expected, 0.5 + std::log(3'000'017.0) + 0.5772156649, 1e-6);
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ(sum_harmonic(*scheduler, 3'000'017, 0.5, options(granule)).value, expected) << "granule " << granule;
    }
  }
}

TEST_P(GpuConformance, AddsAllIndicesOfALoopOfMoreThanTwoToThe33Items) {
  if (std::get<0>(GetParam()).find("host") != std::string::npos) GTEST_SKIP() << "too long for a host";
  const std::uint64_t items = (std::uint64_t{1} << 33) + 5;
  EXPECT_EQ(sum_items(*scheduler, items, options()).value, sum_below(items));
}

TEST_P(GpuConformance, LaunchesKernelsOfTheUser) {
  if (std::get<0>(GetParam()).find("host") != std::string::npos) GTEST_SKIP() << "the kernel is for GPUs";
  const std::uint64_t items = 1'000'003;
  const Counters runs(items);
  launch_count(*scheduler, items, runs.values, options());
  runs.expect_all(1);
}

INSTANTIATE_TEST_SUITE_P(AllPartsAndPolicies, GpuConformance,
                         testing::Combine(testing::Values("gpu", "gpu:0/7", unequal_parts, "gpu;host:1"),
                                          testing::ValuesIn(chunk_policy_names())),
                         [](const auto& combination) {
                           std::string name = std::get<0>(combination.param) + "_" + std::get<1>(combination.param);
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

TEST_F(OnGpu, RunsEveryItemExactlyOnceOverHalvesOfEveryGpu) {
  constexpr std::uint64_t items = 1'104'729;
  Scheduler scheduler(over(every_gpu("/2")));
  EXPECT_EQ(scheduler.device_count(), 2u * static_cast<unsigned>(gpu_count()));
  const Counters runs(items);
  count_runs(scheduler, items, runs.values, {});
  runs.expect_all(1);
}

TEST_F(OnGpu, GivesTheSameBitsOnAnyNumberOfDevices) {
  constexpr std::uint64_t items = std::uint64_t{1} << 28;
  const std::string all = gpu_count() > 1 ? "gpu" : "gpu:0/8";
  const SteadyClock clock;
  const std::size_t count = open_devices(all, discover(), clock).size();
  Scheduler one(over("gpu:0"));
  const double expected = sum_harmonic(one, items, 0.0, {}).value;
  for (std::size_t devices = 1; devices <= count; ++devices) {
    Devices some = open_devices(all, discover(), clock);
    some.resize(devices);
    Scheduler scheduler(std::move(some), {}, discover());
    EXPECT_EQ(sum_harmonic(scheduler, items, 0.0, {}).value, expected) << devices << " devices";
  }
}

TEST_F(OnGpu, ReachesTheMemoryOfOneGpuFromEveryOther) {
  for (int peer = 1; peer < gpu_count(); ++peer) {
    int can = 0;
    ASSERT_EQ(hipDeviceCanAccessPeer(&can, peer, 0), hipSuccess);
    if (can == 0) GTEST_SKIP() << "gpu:" << peer << " cannot reach the memory of gpu:0";
  }
  constexpr std::uint64_t items = 3'000'017;
  constexpr std::size_t bytes = items * sizeof(unsigned);
  Scheduler scheduler(over("gpu"));
  void* memory = nullptr;
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  ASSERT_EQ(hipMalloc(&memory, bytes), hipSuccess);
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  const auto finish = [&] {
    while (hipStreamQuery(stream) == hipErrorNotReady) {
    }
    ASSERT_EQ(hipStreamQuery(stream), hipSuccess);
  };
  ASSERT_EQ(hipMemsetAsync(memory, 0, bytes, stream), hipSuccess);
  finish();
  const Counters seen(items);
  count_runs(scheduler, items, seen.values, {});  // loads the kernel on all GPUs
  const Report report = count_runs(scheduler, items, static_cast<unsigned*>(memory), {});
  for (const DeviceReport& device : report.devices) EXPECT_GT(device.items, 0u) << device.name;
  ASSERT_EQ(hipMemcpyAsync(seen.values, memory, bytes, hipMemcpyDefault, stream), hipSuccess);
  finish();
  seen.expect_all(1);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST_F(OnGpu, AreAllMeasuredWithTheHostAndWithOneAnother) {
  const auto gpus = static_cast<std::size_t>(gpu_count());
  const std::vector<MeasuredLink> links = measure_links(discover());
  EXPECT_EQ(links.size(), gpus * (gpus - 1) + 2 * gpus);
  for (const MeasuredLink& link : links) {
    ASSERT_TRUE(link.bandwidth_gb_per_s.has_value()) << to_text(links);
    EXPECT_GT(*link.bandwidth_gb_per_s, 0.1) << to_text(links);
  }
}

/// Passes the ends of a device's first launches on much later than they came.
class HoldingDevice final : public test::PassingDevice {
 public:
  HoldingDevice(std::unique_ptr<Device> device, int held_max)
      : PassingDevice(std::move(device)), held_left_(held_max) {}
  std::optional<Completion> poll() override {
    using namespace std::chrono_literals;
    if (!held_) {
      held_ = PassingDevice::poll();
      until_ = std::chrono::steady_clock::now() + (held_ && held_left_-- > 0 ? 100ms : 0ms);
    }
    if (!held_ || std::chrono::steady_clock::now() < until_) return std::nullopt;
    return std::exchange(held_, std::nullopt);
  }

 private:
  int held_left_;
  std::optional<Completion> held_;
  std::chrono::steady_clock::time_point until_;
};

TEST_F(OnGpu, GivesTheSameBitsWhenLateChunksRunAgain) {
  const std::uint64_t items = std::uint64_t{1} << 30;
  Scheduler whole(over("gpu:0"));
  const double expected = sum_harmonic(whole, items, 0.0, {}).value;
  const SteadyClock clock;
  Devices devices = open_devices(unequal_parts, discover(), clock);
  auto& last = devices.back();
  last = std::make_unique<HoldingDevice>(std::move(last), 1000);
  Scheduler parts(std::move(devices));
  std::uint64_t copies = 0;
  for (int run = 0; run < 4; ++run) {
    const auto sum = sum_harmonic(parts, items, 0.0, {});
    EXPECT_EQ(sum.value, expected);
    for (const DeviceReport& device : sum.report.devices) copies += device.copies;
  }
  EXPECT_GT(copies, 0u);
}

TEST_F(OnGpu, LeavesTheCallersDeviceAndErrorAlone) {
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  {
    Scheduler scheduler(over("gpu:0/7"));
    sum_harmonic(scheduler, 100'000, 0.0, {});
  }
  int current = -1;
  EXPECT_EQ(hipGetDevice(&current), hipSuccess);
  EXPECT_EQ(current, 0);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(OnGpu, RefusesALoopThatNoGpuCompilerHasSeen) {
  Scheduler scheduler(over("gpu:0"));
  try {
    scheduler.parallel_for(10, [](std::uint64_t) {});
    FAIL() << "it ran";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("gpu:0"), std::string::npos) << error.what();
  }
}

TEST_F(OnGpu, NamesWhatIsWrongWithADeviceText) {
  for (const char* devices : {"gpu:99", "gpu:0/0", "gpu:0/1000", "gpu:0/40+41", "gpu:0/128+128", "gpu:x", "gpu:0,0"}) {
    EXPECT_THROW(Scheduler(over(devices)), InputError) << devices;
  }
}

/// The context of the process is gone afterwards, so this runs in a process of its own.
TEST_F(OnGpu, ReportsAFaultOfTheUsersKernelAsALostDevice) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Scheduler scheduler(over("gpu:0"));
        try {
          launch_fault(scheduler);
        } catch (const DeviceError& error) {
          std::exit(std::string(error.what()).find("device gpu:0") != std::string::npos ? 7 : 8);
        }
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace skua
