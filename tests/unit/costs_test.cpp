// Costs of items: their kinds, and files of them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <skua/costs.hpp>
#include <skua/input.hpp>
#include <support/temporary_folder.hpp>

namespace skua {
namespace {

std::string file_of(const std::string& content) {
  static const test::TemporaryFolder folder;
  return folder.write("costs.csv", content).string();
}

std::string message_of(const std::string& content) {
  const std::string path = file_of(content);
  try {
    read_costs(path, 100);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

TEST(Costs, HaveAMeanOfOneWhateverTheirKind) {
  for (const std::string& kind : cost_kinds()) {
    const Costs costs = make_costs(kind, 12'345, 3);
    EXPECT_EQ(costs.total(), 12'345) << kind;
    EXPECT_NEAR(costs.work(0, 12'345), 12'345, 1e-6) << kind;
    EXPECT_NEAR(costs.work(0, 5'000) + costs.work(5'000, 12'345), 12'345, 1e-6) << kind;
    for (std::uint64_t i = 0; i < 12'345; i += 100) EXPECT_GT(costs.work(i, i + 1), 0) << kind << " item " << i;
  }
}

TEST(Costs, FollowTheSeed) {
  EXPECT_EQ(make_costs("power-law", 1000, 1).work(0, 500), make_costs("power-law", 1000, 1).work(0, 500));
  EXPECT_NE(make_costs("power-law", 1000, 1).work(0, 500), make_costs("power-law", 1000, 2).work(0, 500));
}

TEST(Costs, OfARampEndThreeTimesAsHighAsTheyBegin) {
  const Costs costs = make_costs("ramp", 900'000, 0);
  EXPECT_NEAR(costs.work(899'999, 900'000) / costs.work(0, 1), 3, 0.001);
}

TEST(Costs, KnowTheCostliestGranule) {
  const Costs costs(100, {1, 1, 1, 7, 1, 1, 1, 1, 1, 1});
  EXPECT_NEAR(costs.costliest_granule(10), 100.0 * 7 / 16, 1e-9);
  EXPECT_NEAR(costs.costliest_granule(20), 100.0 * 8 / 16, 1e-9);
  EXPECT_EQ(Costs(100, {1.0}).costliest_granule(32), 32);
}

TEST(Costs, AreReadFromOneNumberALine) {
  const Costs costs = read_costs(file_of("1\n3\r\n\n2e0\n2\n"), 8);
  EXPECT_NEAR(costs.work(0, 2), 1, 1e-12);
  EXPECT_NEAR(costs.work(2, 4), 3, 1e-12);
  EXPECT_NEAR(costs.work(4, 8), 4, 1e-12);
}

TEST(Costs, RefuseFilesThatHoldSomethingElse) {
  EXPECT_TRUE(message_of("1\ncost\n").starts_with(":2")) << message_of("1\ncost\n");
  EXPECT_TRUE(message_of("1\n2\n-3\n").starts_with(":3: a cost must not be negative"));
  EXPECT_TRUE(message_of("1,2\n").starts_with(":1"));
  EXPECT_EQ(message_of(""), ": no cost in it");
  EXPECT_EQ(message_of("0\n0\n"), ": the costs must add up to a number above 0");
  EXPECT_TRUE(message_of("nan\n").starts_with(":1"));
  EXPECT_THROW(read_costs("there/is/no/such.csv", 10), InputError);
  EXPECT_THROW(make_costs("expensive", 10, 0), InputError);
}

}  // namespace
}  // namespace skua
