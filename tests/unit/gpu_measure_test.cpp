#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <gpu/measure.hpp>

namespace skua {
namespace {

const std::vector<MeasuredLink> links = {{{}, GpuId{0}, 55.3, 1.5e-6, {}, ""},
                                         {GpuId{0}, GpuId{1}, 150.0, {}, 450.0, "under 70 % of the declared rate"}};

TEST(MeasuredLinks, ShowUnknownFactsAsUnknown) {
  const std::string text = to_text(links);
  EXPECT_NE(text.find("host      GPU 0              55.3        unknown         1.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("450.0     unknown  under 70 %"), std::string::npos) << text;
}

TEST(MeasuredLinks, AreNullInJsonWhereTheyAreUnknown) {
  const auto json = nlohmann::json::parse(to_json(links));
  ASSERT_EQ(json["measured"].size(), 2u);
  EXPECT_TRUE(json["measured"][0]["from"].is_null());
  EXPECT_EQ(json["measured"][0]["to"], 0);
  EXPECT_TRUE(json["measured"][1]["latency_s"].is_null());
  EXPECT_EQ(json["measured"][1]["declared_bandwidth_gb_per_s"], 450.0);
}

}  // namespace
}  // namespace skua
