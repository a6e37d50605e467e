// What callers may ask of the loops: large values, orders, how far they are.
#include <gtest/gtest.h>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <skua/input.hpp>
#include <skua/scheduler.hpp>

#include "../support/devices.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

Scheduler on_host(unsigned devices) {
  return Scheduler(test::host_devices(devices));
}

/// Too large for any stack here.
template <std::size_t Count>
struct Tallies {
  double bins[Count]{};
  friend Tallies operator+(const Tallies& left, const Tallies& right) {
    Tallies sum = left;
    for (std::size_t bin = 0; bin < Count; ++bin) sum.bins[bin] += right.bins[bin];
    return sum;
  }
};

/// Runs `work` on a thread with a stack of this size.
void on_small_stack(std::size_t stack_bytes, std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
  pthread_t thread{};
  const auto call = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, call, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Loops, ReduceValuesOfAHundredKilobytes) {
  using Value = Tallies<20'000>;
  Scheduler scheduler = on_host(2);
  const auto body = [](std::uint64_t i) {
    Value one;
    one.bins[i] = 1;
    return one;
  };
  on_small_stack(2 << 20, [&] {
    const auto sum = scheduler.parallel_reduce(100, Value{}, body);
    for (std::size_t bin = 0; bin < 200; ++bin) ASSERT_EQ(sum.value.bins[bin], bin < 100 ? 1 : 0) << bin;
  });
}

TEST(Loops, PutNoLargeValueOnAStack) {
  using Value = Tallies<1'250'000>;  // 10 MB, where threads have 8
  Scheduler scheduler = on_host(2);
  const auto body = [](std::uint64_t i) {
    Value one;
    one.bins[i] = 1;
    return one;
  };
  JobOptions options;
  options.granule_items = 2;
  on_small_stack(1 << 18, [&] {
    const auto init = std::make_unique<Value>();
    init->bins[7] = 5;
    const std::unique_ptr<Reduction<Value>> sum(
        new Reduction<Value>(scheduler.parallel_reduce(7, *init, body, options)));
    for (std::size_t bin = 0; bin < 10; ++bin) ASSERT_EQ(sum->value.bins[bin], bin < 7 ? 1 : bin == 7 ? 5 : 0) << bin;
  });
}

TEST(Loops, GiveLargeValuesTheSameBitsAsSmallOnes) {
  Scheduler scheduler = on_host(3);
  const auto term = [](std::uint64_t i) { return 1.0 / (1.0 + static_cast<double>(i)); };
  const auto large = scheduler.parallel_reduce(1000, Tallies<200>{}, [&](std::uint64_t i) {
    Tallies<200> one;
    one.bins[9] = term(i);
    return one;
  });
  EXPECT_EQ(large.value.bins[9], scheduler.parallel_reduce(1000, 0.0, term).value);
}

TEST(Loops, TakeFewerGranulesWhereTheirResultsWouldFillTheMemory) {
  EXPECT_EQ(default_granule_items(1'000'000, sizeof(double)), default_granule_items(1'000'000));
  EXPECT_EQ(default_granule_items(1'000'000, 32 << 10), default_granule_items(1'000'000));
  EXPECT_EQ(default_granule_items(1'000'000, 160'000), 1024u) << "1,024 granules leave 164 MB";
  EXPECT_EQ(default_granule_items(64, std::size_t{1} << 40), 1u) << "64 may be had";
}

/// x -> a x + b, modulo 2^64: maps one after another do not commute.
struct Map {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  bool operator==(const Map&) const = default;
};

Map after(const Map& first, const Map& second) {
  return {second.a * first.a, second.a * first.b + second.b};
}

Map map_of(std::uint64_t i) {
  return {2 * i + 3, i * i + 1};
}

TEST(Loops, CombineInItemOrderWhereThatIsAskedFor) {
  Map expected;
  for (std::uint64_t i = 0; i < 10'000; ++i) expected = after(expected, map_of(i));
  for (const unsigned devices : {1u, 3u}) {
    Scheduler scheduler = on_host(devices);
    JobOptions options;
    options.granule_items = 7;
    EXPECT_EQ(scheduler.parallel_reduce(10'000, Map{}, map_of, ordered(after), options).value, expected);
  }
}

/// A device for the host's code that says what a GPU would say of the loops.
class PickyDevice final : public test::PassingDevice {
 public:
  PickyDevice(std::unique_ptr<Device> inner, std::string name) : PassingDevice(std::move(inner)) {
    info_ = PassingDevice::info();
    info_.name = std::move(name);
    info_.kind = "gpu";
  }
  const DeviceInfo& info() const noexcept override { return info_; }
  bool can_run(const Kernel& kernel) const noexcept override { return kernel.obstacle("gpu").empty(); }
  std::string why_not(const Kernel& kernel) const override { return kernel.obstacle("gpu"); }

 private:
  DeviceInfo info_;
};

Devices gpus_and_hosts(unsigned gpus, unsigned hosts) {
  Devices devices = test::host_devices(gpus + hosts);
  for (unsigned i = 0; i < gpus; ++i) {
    devices[i] = std::make_unique<PickyDevice>(std::move(devices[i]), "gpu:" + std::to_string(i));
  }
  return devices;
}

/// What the refused loop's error says.
template <class Loop>
std::string refusal(Loop loop) {
  Scheduler scheduler(gpus_and_hosts(2, 0));
  try {
    loop(scheduler);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

void expect_all(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

const JobOptions tally{.name = "tally"};

Report reduce_large(Scheduler& scheduler) {
  return scheduler
      .parallel_reduce(
          10, Sums<17>{}, [](std::uint64_t) { return Sums<17>{}; }, tally)
      .report;
}

TEST(Loops, AreRefusedOnGpusWithTheirNameWhereTheirValuesAreTooLarge) {
  expect_all(refusal(reduce_large), {"gpu:0", "'tally'", "136 bytes", "128"});
}

TEST(Loops, AreRefusedOnGpusWithTheirNameWhereTheirBodyHoldsTooMuch) {
  const std::array<char, 3'100> much{};
  const auto loop = [&](Scheduler& scheduler) {
    scheduler.parallel_for(
        10, [much](std::uint64_t i) { static_cast<void>(much[i]); }, tally);
  };
  expect_all(refusal(loop), {"gpu:0", "'tally'", "3100 bytes", "3072"});
}

TEST(Loops, AreRefusedOnGpusWithTheirNameWhereTheyAreToBeCombinedInOrder) {
  const auto loop = [](Scheduler& scheduler) { scheduler.parallel_reduce(10, Map{}, map_of, ordered(after), tally); };
  expect_all(refusal(loop), {"gpu:0", "'tally'", "ordered"});
}

TEST(Loops, RunOnTheHostsOfAListWhoseGpusCannotRunThemAndSaySo) {
  Scheduler scheduler(gpus_and_hosts(2, 1));
  const Report report = reduce_large(scheduler);
  EXPECT_EQ(report.devices[2].items, 10u);
  expect_all(to_text(report), {"note: device gpu:0, gpu:1 took no part", "'tally'", "136 bytes"});
  EXPECT_EQ(to_text(report).find("several kinds"), std::string::npos) << "one kind did it all";
}

TEST(Loops, SayThatBitsDependOnWhoRanWhatOverDevicesOfSeveralKinds) {
  const auto one = [](std::uint64_t) { return 1.0; };
  Scheduler mixed(gpus_and_hosts(1, 1));
  expect_all(to_text(mixed.parallel_reduce(100, 0.0, one).report), {"several kinds", "bits"});
  const auto is_said = [](const Report& report) { return to_text(report).find("several kinds") != std::string::npos; };
  EXPECT_FALSE(is_said(mixed.parallel_for(100, [](std::uint64_t) {})));
  EXPECT_FALSE(is_said(on_host(2).parallel_reduce(100, 0.0, one).report));
}

TEST(Loops, DoNotClaimToKnowWhatWasMoved) {
  const Report report = on_host(2).parallel_for(100, [](std::uint64_t) {});
  for (const DeviceReport& device : report.devices) EXPECT_EQ(device.bytes_moved, std::nullopt);
}

TEST(Loops, TakeAGranuleLargerThanTheLoopAsTheLoop) {
  Scheduler scheduler = on_host(2);
  JobOptions options;
  options.granule_items = 4096;
  for (const std::uint64_t items : {4096u, 4095u, 10u, 1u, 0u}) {
    std::atomic<std::uint64_t> runs{0};
    const Report report = scheduler.parallel_for(
        items, [&](std::uint64_t) { ++runs; }, options);
    EXPECT_EQ(runs, items);
    EXPECT_EQ(report.granule_items, std::max<std::uint64_t>(items, 1)) << "the Report has the one that was used";
  }
}

TEST(Loops, NoteAnUnknownVariableInEachReport) {
  setenv("SKUA_DEVICE", "host:1", 1);
  setenv("SKUA_ROOT", "/opt/skua", 1);
  Scheduler scheduler = on_host(1);
  unsetenv("SKUA_DEVICE");
  unsetenv("SKUA_ROOT");
  for (int job = 0; job < 2; ++job) {
    const std::string text = to_text(scheduler.parallel_for(10, [](std::uint64_t) {}));
    EXPECT_NE(text.find("note: SKUA_DEVICE is not a variable that skua knows; did you mean SKUA_DEVICES?"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("SKUA_ROOT"), std::string::npos) << text;
  }
}

TEST(Loops, NameTheOptionOrVariableAtFault) {
  const auto complaint = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  Scheduler scheduler = on_host(1);
  const auto run = [&](std::uint64_t items, const JobOptions& options) {
    return complaint([&] {
      scheduler.launch(
          items, [](const Chunk&) {}, options);
    });
  };
  expect_all(run(10, {.policy = "magic"}), {"JobOptions::policy magic", "factoring"});
  expect_all(run(std::uint64_t{1} << 32, {.granule_items = 1}), {"JobOptions::granule_items", "4294967296 items"});
  const auto results = [&] {
    scheduler.parallel_reduce(std::uint64_t{1} << 31, 0.0, [](std::uint64_t) { return 1.0; }, {.granule_items = 1});
  };
  expect_all(complaint(results), {"JobOptions::granule_items: granule 1: the results of 2147483648 granules need"});
  const std::string cuda = " cuda:0: no such backend; there are auto, ";
  setenv("SKUA_DEVICES", "cuda:0", 1);
  EXPECT_TRUE(complaint([] { Scheduler(SchedulerOptions{}); }).starts_with("SKUA_DEVICES" + cuda));
  const auto named = [] { Scheduler(SchedulerOptions{.devices = "cuda:0"}); };
  EXPECT_TRUE(complaint(named).starts_with("SchedulerOptions::devices" + cuda)) << complaint(named);
  unsetenv("SKUA_DEVICES");
}

TEST(Loops, SayThatTheHostRunsAllWhereNoDeviceWasNamedAndNoGpuIsThere) {
  const std::vector<std::string> backends = backend_names();
  if (std::find(backends.begin(), backends.end(), "gpu") == backends.end()) GTEST_SKIP() << "built for the host";
  Scheduler scheduler({.devices = "auto"});
  if (scheduler.device(0).kind == "gpu") GTEST_SKIP() << "there is a GPU";
  expect_all(to_text(scheduler.parallel_for(10, [](std::uint64_t) {})), {"note: no GPU, so the host runs all"});
}

/// The items done that a Job's callback was told, one after another.
struct Seen {
  std::vector<std::uint64_t> items;
  JobOptions options;

  explicit Seen(const std::string& policy) {
    options.granule_items = 10;
    options.policy = policy;
    options.progress_every = 1ms;
    options.progress = [this](const Progress& progress) { items.push_back(progress.items_done); };
  }
  /// The least that was told after the beginning.
  std::uint64_t least() const {
    const auto first = std::upper_bound(items.begin(), items.end(), 0u);
    return first == items.end() ? 0 : *first;
  }
};

TEST(Progress, CountsTheGranulesOfTheFirstChunks) {
  for (const char* devices : {"host:2", "host:1"}) {
    Scheduler scheduler(open_devices(devices, Topology{}, test::steady_clock()));
    Seen seen("static");
    const Report report = scheduler.parallel_for(
        2'000, [](std::uint64_t) { std::this_thread::sleep_for(50us); }, seen.options);
    EXPECT_GT(seen.least(), 0u) << devices;
    EXPECT_LT(seen.least(), 1'000u) << devices << ": before the first of the chunks has ended";
    EXPECT_TRUE(std::is_sorted(seen.items.begin(), seen.items.end()));
    EXPECT_LE(seen.items.back(), 2'000u);
    EXPECT_EQ(report.items_done, 2'000u);
  }
}

TEST(Progress, NeverCountsAnItemTwice) {
  Scheduler scheduler(test::host_devices(3));
  std::atomic<std::uint64_t> begun{0};
  Seen seen("fixed:50");
  std::vector<std::uint64_t> begun_then;
  seen.options.repeat = Repeat::allowed;
  seen.options.progress = [&](const Progress& progress) {
    seen.items.push_back(progress.items_done);
    begun_then.push_back(begun);
  };
  scheduler.parallel_for(
      3'000,
      [&](std::uint64_t i) {
        if (i % 10 == 0) begun += 10;
        std::this_thread::sleep_for(i < 100 ? 500us : 20us);
      },
      seen.options);
  for (std::size_t k = 0; k < seen.items.size(); ++k) EXPECT_LE(seen.items[k], begun_then[k]) << k;
  EXPECT_TRUE(std::is_sorted(seen.items.begin(), seen.items.end()));
}

}  // namespace
}  // namespace skua
