#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <skua/report.hpp>

namespace skua {
namespace {

Report sample() {
  Report report;
  report.job_name = "heat";
  report.items = report.items_done = 300;
  report.policy = "factoring";
  report.makespan_s = 2.5;
  report.lower_bound_s = 2.0;
  DeviceReport fast;
  fast.name = "host:0";
  fast.items = 200;
  fast.busy_s = 2.0;
  DeviceReport slow;
  slow.name = "host:1";
  slow.items = 100;
  slow.busy_s = 1.5;
  report.devices = {fast, slow};
  return report;
}

TEST(Report, ComputesEfficiencyAndImbalanceAsDefined) {
  EXPECT_DOUBLE_EQ(sample().efficiency(), 0.8);
  EXPECT_DOUBLE_EQ(sample().imbalance(), 0.5 / 1.75);
}

TEST(Report, LeavesFailedDevicesOutOfTheImbalance) {
  Report report = sample();
  report.devices[1].failed = true;
  EXPECT_DOUBLE_EQ(report.imbalance(), 0);
}

TEST(Report, HasNoNaNForAnEmptyJob) {
  EXPECT_DOUBLE_EQ(Report{}.efficiency(), 1);
  EXPECT_DOUBLE_EQ(Report{}.imbalance(), 0);
  EXPECT_EQ(to_text(Report{}).find("nan"), std::string::npos);
}

TEST(Report, WritesTheContractsJson) {
  const auto json = nlohmann::json::parse(to_json(sample(), R"({"price":7.5})"));
  EXPECT_EQ(json["schema"], "skua.report/1");
  EXPECT_EQ(json["job"]["items"], 300);
  EXPECT_EQ(json["job"]["granule"], 1);
  EXPECT_EQ(json["makespan_s"], 2.5);
  EXPECT_EQ(json["efficiency"], 0.8);
  EXPECT_EQ(json["devices"][1]["id"], 1);
  EXPECT_EQ(json["devices"][1]["items"], 100);
  EXPECT_TRUE(json["devices"][0]["occupancy"].is_null());
  EXPECT_EQ(json["result"]["price"], 7.5);
  EXPECT_TRUE(json["notes"].is_array());
}

TEST(Report, WritesValidJsonForAnyBytesInNames) {
  Report report = sample();
  report.devices[0].name = "bad \xff \x01 \"name\"";
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["devices"][0]["name"], "bad \xEF\xBF\xBD \x01 \"name\"");
}

TEST(Report, ShowsDevicesAndWhatWasCancelledInTheTable) {
  Report report = sample();
  report.cancelled = true;
  report.not_done = {{10, 20}};
  report.devices[1].failed = true;
  report.devices[1].failure = "lost";
  const std::string text = to_text(report);
  for (const char* part : {"host:0", "66.7%", "FAILED: lost", "[10, 20)", "efficiency 0.800"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

}  // namespace
}  // namespace skua
