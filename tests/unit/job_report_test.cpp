// What a Report says was done.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include <skua/scheduler.hpp>

#include "support/devices.hpp"

namespace skua {
namespace {

using namespace std::chrono_literals;

TEST(JobReport, SaysWhoRanItsPartAsOneChunkWhileAnotherWasIdle) {
  const auto is_said = [](std::uint64_t items, const std::string& policy) {
    Scheduler scheduler(test::host_devices(2));
    JobOptions options;
    options.granule_items = 1;
    options.policy = policy;
    const auto nap = [](const Chunk& chunk) {
      std::this_thread::sleep_for(std::chrono::milliseconds(chunk.begin == 0 ? 100 : 1));
    };
    return to_text(scheduler.launch(items, nap, options)).find("as one chunk") != std::string::npos;
  };
  // On a busy machine one of them may have done both before the other one begins.
  bool is_said_once = false;
  for (int tries = 0; tries < 20 && !is_said_once; ++tries) is_said_once = is_said(2, "factoring");
  EXPECT_TRUE(is_said_once);
  EXPECT_FALSE(is_said(2, "static")) << "that is how it was to be";
  EXPECT_FALSE(is_said(400, "fixed:1"));
}

#ifdef SKUA_HAS_TBB
/// A device of all cores: here, those that find no granule stand still.
TEST(JobReport, DoesNotCountCoresThatStandStillInsideAChunkAsBusy) {
  Scheduler scheduler(test::host_devices(1));
  if (scheduler.device(0).can.slots_max < 2) GTEST_SKIP() << "one core only";
  const Report report = scheduler.parallel_for(1, [](std::uint64_t) { std::this_thread::sleep_for(100ms); });
  EXPECT_GT(report.devices[0].busy_s, 0);
  EXPECT_LE(report.devices[0].busy_s, report.makespan_s - 0.05);
}
#endif

}  // namespace
}  // namespace skua
