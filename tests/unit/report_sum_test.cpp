#include <monte_carlo/report_sum.hpp>

#include <gtest/gtest.h>

#include <skua/report.hpp>

namespace monte_carlo {
namespace {

// A field that is added to these changes their size: let it be added up, and tested here, before the number is changed.
static_assert(sizeof(skua::DeviceReport) == 216, "add the new field to report_sum.cpp and to this test");
static_assert(sizeof(skua::Report) == 192, "add the new field to report_sum.cpp and to this test");

skua::Report report(double scale) {
  const auto count = [scale](double value) { return static_cast<std::uint64_t>(scale * value); };
  skua::Report made;
  made.job_name = "pi";
  made.items = count(100);
  made.items_done = count(90);
  made.granule_items = count(4);
  made.policy = "factoring";
  made.makespan_s = scale * 2.0;
  made.waited_s = scale * 0.25;
  made.lower_bound_s = scale * 1.5;
  made.not_done = {{90, count(100)}};
  made.notes = {"a note"};
  skua::DeviceReport device;
  device.name = "host:0";
  device.items = count(90);
  device.chunks = count(9);
  device.busy_s = scale * 1.5;
  device.idle_s = scale * 0.5;
  device.last_end_s = scale * 1.75;
  device.steals = count(3);
  device.stolen_items = count(30);
  device.copies = count(2);
  device.bytes_moved = count(1000);
  device.host_s = scale * 0.125;
  device.occupancy = scale * 0.25;
  device.smallest_chunk_items = count(16);
  device.items_per_second = scale * 1e6;
  device.slow_calls = count(1);
  made.devices = {device};
  return made;
}

TEST(ReportSum, AddsUpWhatCanBeAddedAndKeepsTheLatestOfTheRest) {
  skua::Report total;
  add_report(total, report(1));
  add_report(total, report(2));
  EXPECT_EQ(total.job_name, "pi");
  EXPECT_EQ(total.items, 300u);
  EXPECT_EQ(total.items_done, 270u);
  EXPECT_EQ(total.granule_items, 4u);
  EXPECT_EQ(total.policy, "factoring");
  EXPECT_DOUBLE_EQ(total.makespan_s, 6);
  EXPECT_DOUBLE_EQ(total.waited_s, 0.75);
  EXPECT_DOUBLE_EQ(total.lower_bound_s, 4.5);
  EXPECT_FALSE(total.cancelled);
  ASSERT_EQ(total.not_done.size(), 2u);
  EXPECT_EQ(total.not_done[1], (skua::ItemRange{190, 300}));
  ASSERT_EQ(total.devices.size(), 1u);
  const skua::DeviceReport& device = total.devices[0];
  EXPECT_EQ(device.name, "host:0");
  EXPECT_EQ(device.items, 270u);
  EXPECT_EQ(device.chunks, 27u);
  EXPECT_DOUBLE_EQ(device.busy_s, 4.5);
  EXPECT_DOUBLE_EQ(device.idle_s, 1.5);
  EXPECT_DOUBLE_EQ(device.last_end_s, 2 + 3.5);
  EXPECT_EQ(device.steals, 9u);
  EXPECT_EQ(device.stolen_items, 90u);
  EXPECT_EQ(device.copies, 6u);
  EXPECT_EQ(device.bytes_moved, 3000u);
  EXPECT_DOUBLE_EQ(device.host_s, 0.375);
  EXPECT_EQ(device.occupancy, 0.5);
  EXPECT_EQ(device.smallest_chunk_items, 32u);
  EXPECT_EQ(device.items_per_second, 2e6);
  EXPECT_EQ(device.slow_calls, 3u);
  EXPECT_FALSE(device.failed);
  EXPECT_EQ(total.notes.size(), 2u) << "the same note once, and that these are several Jobs";
}

TEST(ReportSum, RemembersAFailureAndACancel) {
  skua::Report bad = report(1);
  bad.cancelled = true;
  bad.devices[0].failed = true;
  bad.devices[0].failure = "lost";
  skua::Report total;
  add_report(total, bad);
  add_report(total, report(1));
  EXPECT_TRUE(total.cancelled);
  EXPECT_TRUE(total.devices[0].failed);
  EXPECT_EQ(total.devices[0].failure, "lost");
}

}  // namespace
}  // namespace monte_carlo
