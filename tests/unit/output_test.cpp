// Tests of results as text and JSON.
#include <monte_carlo/output.hpp>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using monte_carlo::OptionResult;
using monte_carlo::Precision;

OptionResult result(std::uint64_t asked) {
  OptionResult made;
  made.precision = Precision::single_float;
  made.options.push_back({"mine", {12, 12, asked}, {5.0, 0.5}, 5.5});
  return made;
}

TEST(Output, SaysThatPathsWereRoundedUp) {
  EXPECT_NE(to_text(result(10)).find("12 paths (10 rounded up to a multiple of 4)"), std::string::npos);
  const auto json = nlohmann::json::parse(to_json(result(10)));
  EXPECT_EQ(json["options"][0]["paths"], 12);
  EXPECT_EQ(json["options"][0]["paths_asked"], 10);
}

TEST(Output, SaysNothingOfRoundingWhereThereWasNone) {
  EXPECT_EQ(to_text(result(12)).find("rounded"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(to_json(result(12)))["options"][0].contains("paths_asked"));
}

TEST(Output, NamesThePrecision) {
  EXPECT_NE(to_text(result(12)).find("paths in float"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(result(12)))["precision"], "float");
}

}  // namespace
