// Tests of monte_carlo's problems as they are run over devices.
#include <monte_carlo/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <monte_carlo/output.hpp>

namespace {

using monte_carlo::OptionResult;
using monte_carlo::Options;
using monte_carlo::OptionType;
using monte_carlo::Position;
using monte_carlo::Precision;
using monte_carlo::Problem;
using monte_carlo::Solution;

constexpr std::uint64_t granule_paths = 1'000;

Options one_option(Precision precision) {
  Options options;
  options.problem = Problem::option;
  options.seed = 7;
  options.precision = precision;
  options.granule_paths = granule_paths;
  options.positions = {{"call", {}, 100'003, "--paths"}};
  return options;
}

Options portfolio(Precision precision) {
  Options options = one_option(precision);
  options.is_portfolio = true;
  options.positions = {{"first", {OptionType::call, 100, 100, 0.03, 0.2, 1}, 100'003, "file:2"},
                       {"short", {OptionType::put, 100, 95, 0.03, 0.2, 0.25}, 1, "file:3"},
                       {"last", {OptionType::put, 80, 100, -0.005, 0.15, 5}, 50'000, "file:4"}};
  return options;
}

Solution solved(const Options& options, const std::string& devices = "host:2") {
  skua::SchedulerOptions where;
  where.devices = devices;
  skua::Scheduler scheduler(where);
  return monte_carlo::solve(scheduler, options, {});
}

TEST(Solve, GivesTheSameResultOnAnyDevicesAndUnderAnyPolicy) {
  for (const Precision precision : {Precision::single_float, Precision::double_float}) {
    for (Options options : {one_option(precision), portfolio(precision)}) {
      const std::string expected = to_json(solved(options, "host:1").result);
      for (const char* devices : {"host:2", "host:5"}) {
        for (const char* policy : {"factoring", "static", "fixed:500", "guided", "formula"}) {
          options.policy = policy;
          EXPECT_EQ(to_json(solved(options, devices).result), expected) << devices << " " << policy;
        }
      }
    }
  }
}

TEST(Solve, PricesThePortfolioInOneJob) {
  const Solution solution = solved(portfolio(Precision::double_float));
  // 250 items are padded to granules of 256.
  EXPECT_EQ(solution.report.granule_items, 256u);
  EXPECT_EQ(solution.report.items, (98u + 1u + 49u) * 256u);
  EXPECT_EQ(solution.paths.done, 100'004u + 4u + 50'000u);
}

TEST(Solve, PricesEachOptionOfAPortfolioToTheBitAsAlone) {
  Options options = portfolio(Precision::single_float);
  options.granule_paths = 1'024;
  const auto all = std::get<OptionResult>(solved(options).result).options;
  ASSERT_EQ(all.size(), 3u);
  Options alone = options;
  alone.is_portfolio = false;
  alone.positions = {options.positions[0]};
  const auto one = std::get<OptionResult>(solved(alone).result).options;
  EXPECT_EQ(all[0].price.mean, one[0].price.mean);
  EXPECT_EQ(all[0].price.standard_error, one[0].price.standard_error);
}

TEST(Solve, KeepsTheOptionsOfAPortfolioApart) {
  for (const Precision precision : {Precision::single_float, Precision::double_float}) {
    const auto all = std::get<OptionResult>(solved(portfolio(precision)).result).options;
    ASSERT_EQ(all.size(), 3u);
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
      EXPECT_NEAR(*all[i].price.mean, all[i].black_scholes, 4 * *all[i].price.standard_error) << all[i].name;
    }
    EXPECT_EQ(all[1].paths.done, 4u);
    EXPECT_EQ(all[1].paths.asked, 1u);
  }
}

TEST(Solve, CountsThePathsThatWereDoneWhenCancelled) {
  for (const Options& options : {one_option(Precision::double_float), portfolio(Precision::double_float)}) {
    skua::SchedulerOptions where;
    where.devices = "host:1";
    skua::Scheduler scheduler(where);
    monte_carlo::Watch watch;
    watch.cancellation.request();
    const Solution solution = monte_carlo::solve(scheduler, options, watch);
    EXPECT_LE(solution.paths.done, solution.paths.wanted);
    std::uint64_t done = 0;
    for (const auto& option : std::get<OptionResult>(solution.result).options) done += option.paths.done;
    EXPECT_EQ(done, solution.paths.done);
  }
}

}  // namespace
