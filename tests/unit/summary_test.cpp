// Medians over seeds, as text and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <skua/summary.hpp>

namespace skua {
namespace {

SimulationResult result_of(double makespan_s, bool ended = true) {
  SimulationResult result;
  result.ended = ended;
  result.lower_bound_s = 1;
  result.report.makespan_s = makespan_s;
  result.report.devices.resize(2);
  for (DeviceReport& device : result.report.devices) device.chunks = 3;
  return result;
}

TEST(Summary, TakesMediansAndTheWorst) {
  const PolicySummary summary = summarize("guided", {result_of(4), result_of(1), result_of(2)});
  EXPECT_EQ(summary.makespan_s, 2);
  EXPECT_EQ(summary.efficiency, 0.5);
  EXPECT_EQ(summary.worst_efficiency, 0.25);
  EXPECT_EQ(summary.chunks, 6);
  EXPECT_EQ(summary.ended, 3u);
}

TEST(Summary, SaysWhatDidNotEnd) {
  const PolicySummary summary = summarize("static", {result_of(1, false)});
  EXPECT_EQ(summary.efficiency, 0);
  EXPECT_THAT(to_text({summary}), testing::HasSubstr("did not end"));
  EXPECT_TRUE(nlohmann::json::parse(to_json("x", {summary}))["policies"][0]["makespan_s"].is_null());
}

TEST(Summary, ShowsTheBestPolicyFirst) {
  const std::string text = to_text({summarize("slower", {result_of(3)}), summarize("faster", {result_of(2)})});
  EXPECT_LT(text.find("faster"), text.find("slower"));
}

TEST(Summary, IsJsonWhateverTheTitle) {
  const auto json = nlohmann::json::parse(to_json("a\"b\xff", {summarize("guided", {result_of(2)})}));
  EXPECT_EQ(json["schema"], "skua.simulation/1");
  EXPECT_EQ(json["policies"][0]["policy"], "guided");
  EXPECT_EQ(json["policies"][0]["efficiency"], 0.5);
}

}  // namespace
}  // namespace skua
