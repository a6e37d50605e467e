#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <skua/input.hpp>
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

TEST(Report, ReadsBackWhatItWrote) {
  Report report = sample();
  report.waited_s = 0.25;
  report.cancelled = true;
  report.items_done = 299;
  report.not_done = {{7, 8}};
  report.notes = {"a note", "another"};
  DeviceReport& device = report.devices[1];
  device.chunks = 11;
  device.idle_s = 0.75;
  device.last_end_s = 2.25;
  device.steals = 3;
  device.stolen_items = 40;
  device.copies = 2;
  device.bytes_moved = 1 << 20;
  device.host_s = 0.001;
  device.occupancy = 0.5;
  device.smallest_chunk_items = 64;
  device.items_per_second = 1e9;
  device.slow_calls = 1;
  device.failed = true;
  device.failure = "lost";
  const std::string text = to_json(report, "[1,2]");
  EXPECT_EQ(to_json(report_from_json(text, "a.json"), "[1,2]"), text);
}

TEST(Report, KeepsUnknownBytesUnknown) {
  Report report = sample();
  report.devices[1].bytes_moved = 7;
  const std::string text = to_json(report);
  const auto json = nlohmann::json::parse(text);
  EXPECT_TRUE(json["devices"][0]["bytes_moved"].is_null()) << "nobody counted them";
  EXPECT_EQ(json["devices"][1]["bytes_moved"], 7);
  EXPECT_EQ(report_from_json(text, "a.json").devices[0].bytes_moved, std::nullopt);
  EXPECT_EQ(report_from_json(text, "a.json").devices[1].bytes_moved, 7u);
  auto absent = json;
  absent["devices"][1].erase("bytes_moved");
  EXPECT_EQ(report_from_json(absent.dump(), "a.json").devices[1].bytes_moved, std::nullopt);
}

TEST(Report, ReadsCountsBeyondThePrecisionOfADouble) {
  Report report = sample();
  report.items = ~std::uint64_t{0};
  EXPECT_EQ(report_from_json(to_json(report), "a.json").items, ~std::uint64_t{0});
}

TEST(Report, ReadsWhatAnOlderVersionWrote) {
  const Report report = report_from_json(
      R"({"schema":"skua.report/1","job":{"items":5,"granule":1},"makespan_s":1.5,"devices":[{"id":0,"name":"a"}]})",
      "a");
  EXPECT_EQ(report.items, 5u);
  EXPECT_EQ(report.makespan_s, 1.5);
  EXPECT_EQ(report.waited_s, 0);
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].name, "a");
}

TEST(Report, RefusesWhatIsNoReportAndNamesTheField) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      report_from_json(text, "r.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(complaint("{").find("r.json"), std::string::npos);
  EXPECT_NE(complaint("[]").find("r.json"), std::string::npos);
  EXPECT_NE(complaint(R"({"schema":"skua.topology/1"})").find("skua.topology/1"), std::string::npos);
  EXPECT_NE(complaint(R"({"schema":"skua.report/1"})").find("job"), std::string::npos);
  EXPECT_NE(complaint(R"({"schema":"skua.report/1","job":{"items":-3},"devices":[]})").find("job.items"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"schema":"skua.report/1","job":{},"devices":[{"busy_s":"x"}]})").find("devices[0].busy_s"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"schema":"skua.report/1","job":{"not_done":[[5,2]]},"devices":[]})").find("not_done"),
            std::string::npos);
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
