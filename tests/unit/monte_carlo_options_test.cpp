// Tests of monte_carlo's command line.
#include <monte_carlo/options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>
#include <skua/scheduler.hpp>
#include <support/temporary_folder.hpp>

namespace {

using monte_carlo::Format;
using monte_carlo::Options;
using monte_carlo::OptionType;
using monte_carlo::Problem;

std::optional<Options> read(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "monte_carlo");
  return monte_carlo::read_options(static_cast<int>(arguments.size()), arguments.data());
}

/// The message of the InputError; empty when there was none.
std::string complaint(const std::vector<const char*>& arguments) {
  try {
    read(arguments);
  } catch (const skua::InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return {};
}

void expect_complaint(const std::vector<const char*>& arguments, const std::string& part) {
  const std::string message = complaint(arguments);
  EXPECT_NE(message.find(part), std::string::npos) << "wanted " << part << ", got: " << message;
}

TEST(MonteCarloOptions, SolveVanDeHulstsSlabWhenNothingIsGiven) {
  const Options options = read({}).value();
  EXPECT_EQ(options.problem, Problem::slab);
  EXPECT_EQ(options.slab.name, "vandehulst");
  EXPECT_EQ(options.slab.published.transmittance, 0.66096);
  EXPECT_EQ(options.policy, "factoring");
  EXPECT_EQ(options.granule_paths, 0u);
  EXPECT_EQ(options.repeat, 1u);
  EXPECT_EQ(options.format, Format::text);
  EXPECT_GT(options.paths, 0u);
}

TEST(MonteCarloOptions, ReadWhatIsCommonToAllProblems) {
  const Options options = read({"--problem", "pi", "--paths", "2e7", "--devices", "host:8", "--policy", "fixed:64",
                                "--granule", "1e3", "--seed", "0", "--repeat", "3", "--json"})
                              .value();
  EXPECT_EQ(options.problem, Problem::pi);
  EXPECT_EQ(options.paths, 20'000'000u);
  EXPECT_EQ(options.devices, "host:8");
  EXPECT_EQ(options.policy, "fixed:64");
  EXPECT_EQ(options.granule_paths, 1000u);
  EXPECT_EQ(options.seed, 0u);
  EXPECT_EQ(options.repeat, 3u);
  EXPECT_EQ(options.format, Format::json);
}

TEST(MonteCarloOptions, ReadAnOption) {
  const Options options = read({"--problem", "option", "--type", "put", "--spot", "90", "--strike", "80", "--rate",
                                "-0.01", "--volatility", "0.5", "--maturity", "2"})
                              .value();
  ASSERT_EQ(options.positions.size(), 1u);
  const monte_carlo::Option& option = options.positions[0].option;
  EXPECT_EQ(option.type, OptionType::put);
  EXPECT_EQ(option.spot, 90);
  EXPECT_EQ(option.strike, 80);
  EXPECT_EQ(option.rate, -0.01);
  EXPECT_EQ(option.volatility, 0.5);
  EXPECT_EQ(option.maturity_years, 2);
  EXPECT_EQ(options.positions[0].paths, options.paths);
}

TEST(MonteCarloOptions, PublishNothingForASlabOfOnesOwn) {
  const Options options = read({"--problem", "slab", "--refractive-index", "1.4", "--thickness=1"}).value();
  EXPECT_EQ(options.slab.slab.refractive_index, 1.4);
  EXPECT_EQ(options.slab.slab.thickness_cm, 1);
  EXPECT_EQ(options.slab.slab.absorption_per_cm, 10);
  EXPECT_FALSE(options.slab.published.reflectance.has_value());
}

TEST(MonteCarloOptions, AskedForHelpOrVersionLeaveNothingToDo) {
  testing::internal::CaptureStdout();
  EXPECT_FALSE(read({"--help"}).has_value());
  EXPECT_FALSE(read({"--version"}).has_value());
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_NE(printed.find("--refractive-index"), std::string::npos);
  EXPECT_NE(printed.find("monte_carlo 0."), std::string::npos);
}

TEST(MonteCarloOptions, NameTheOptionThatIsWrong) {
  expect_complaint({"--path", "5"}, "--path");
  expect_complaint({"--paths"}, "--paths");
  expect_complaint({"--paths", "0"}, "--paths");
  expect_complaint({"--paths", "1.5"}, "--paths");
  expect_complaint({"--paths", "5", "--paths", "6"}, "--paths");
  expect_complaint({"--paths", "many"}, "--paths");
  expect_complaint({"--problem", "poker"}, "--problem");
  expect_complaint({"--policy", "fastest"}, "--policy");
  expect_complaint({"--granule", "0"}, "--granule");
  expect_complaint({"--paths", "10", "--granule", "11"}, "--granule");
  expect_complaint({"--repeat", "0"}, "--repeat");
  expect_complaint({"--seed", "-1"}, "--seed");
  expect_complaint({"--devices", ""}, "--devices");
  expect_complaint({"extra"}, "extra");
}

/// What monte_carlo says where skua throws.
std::string told(const std::function<void()>& use) {
  try {
    use();
  } catch (const skua::InputError& error) {
    return monte_carlo::in_words_of_command_line(error.what());
  }
  return "nothing was refused";
}

TEST(MonteCarloOptions, AreWhatSkuasOwnComplaintsName) {
  using testing::StartsWith;
  EXPECT_THAT(told([] { skua::Scheduler({.devices = "cuda:0"}); }), StartsWith("--devices cuda:0: no such backend"));
  EXPECT_THAT(told([] { skua::Scheduler({.devices = "host:1;"}); }), StartsWith("--devices 'host:1;': an empty part"));
  skua::Scheduler scheduler({.devices = "host:1"});
  const auto sum = [&](std::uint64_t items) {
    scheduler.parallel_reduce(items, 0.0, [](std::uint64_t) { return 1.0; }, {.granule_items = 1});
  };
  EXPECT_THAT(told([&] { sum(std::uint64_t{1} << 40); }), StartsWith("--granule: granule 1: 1099511627776 items give"));
  EXPECT_THAT(told([&] { sum(std::uint64_t{1} << 31); }), StartsWith("--granule: granule 1: the results of"));
  EXPECT_EQ(monte_carlo::in_words_of_command_line("--paths: x"), "--paths: x");
}

TEST(MonteCarloOptions, RefuseImpossibleSlabsAndOptions) {
  expect_complaint({"--absorption", "nan"}, "--absorption");
  expect_complaint({"--absorption", "-1"}, "--absorption");
  expect_complaint({"--scattering", "-0.5"}, "--scattering");
  expect_complaint({"--anisotropy", "1.5"}, "--anisotropy");
  expect_complaint({"--thickness", "0"}, "--thickness");
  expect_complaint({"--refractive-index", "0.5"}, "--refractive-index");
  expect_complaint({"--absorption", "--scattering=90"}, "--absorption");
  expect_complaint({"--problem", "option", "--spot", "-1"}, "--spot");
  expect_complaint({"--problem", "option", "--volatility", "inf"}, "--volatility");
  expect_complaint({"--problem", "option", "--type", "straddle"}, "--type");
}

TEST(MonteCarloOptions, ReadThePrecisionOfAnOption) {
  using monte_carlo::Precision;
  EXPECT_EQ(read({"--problem", "option"}).value().precision, Precision::double_float);
  EXPECT_EQ(read({"--problem", "option", "--precision", "double"}).value().precision, Precision::double_float);
  EXPECT_EQ(read({"--problem", "option", "--precision", "float"}).value().precision, Precision::single_float);
  expect_complaint({"--problem", "option", "--precision", "half"}, "--precision: 'half'");
  expect_complaint({"--problem", "pi", "--precision", "float"}, "--precision");
  expect_complaint({"--problem", "option", "--precision", "float", "--spot", "1e30"}, "--spot");
}

TEST(MonteCarloOptions, RefuseMorePathsThanCanBeRoundedUp) {
  expect_complaint({"--problem", "option", "--paths", "18446744073709551613"}, "--paths: 18446744073709551613");
  EXPECT_EQ(complaint({"--problem", "option", "--paths", "18446744073709551612"}), "");
}

TEST(MonteCarloOptions, NameTheLineOfAPortfolioThatFloatCannotDraw) {
  const skua::test::TemporaryFolder folder;
  const std::string path = folder
                               .write("portfolio.csv",
                                      "name,type,spot,strike,rate,volatility,maturity,paths\n"
                                      "one,call,100,105,0.03,0.2,1,1000\ntwo,call,1e30,105,0.03,0.2,1,10\n")
                               .string();
  EXPECT_EQ(complaint({"--problem", "option", "--portfolio", path.c_str()}), "");
  expect_complaint({"--problem", "option", "--portfolio", path.c_str(), "--precision", "float"},
                   path + ":3: column 'spot'");
}

TEST(MonteCarloOptions, RefuseOptionsOfAnotherProblem) {
  expect_complaint({"--problem", "pi", "--spot", "100"}, "--spot");
  expect_complaint({"--problem", "option", "--absorption", "1"}, "--absorption");
  expect_complaint({"--problem", "slab", "--portfolio", "x.csv"}, "--portfolio");
}

TEST(MonteCarloOptions, RefuseOptionsThatContradictEachOther) {
  expect_complaint({"--case", "vandehulst"}, "--cases");
  expect_complaint({"--cases", "slab.csv"}, "--case");
  expect_complaint({"--case", "vandehulst", "--cases", "slab.csv", "--thickness", "1"}, "--thickness");
  expect_complaint({"--problem", "option", "--portfolio", "x.csv", "--paths", "5"}, "--paths");
  expect_complaint({"--problem", "option", "--portfolio", "x.csv", "--spot", "5"}, "--spot");
}

TEST(MonteCarloOptions, RefuseAGranuleLargerThanOnePositionsPaths) {
  const skua::test::TemporaryFolder folder;
  const std::string path = folder
                               .write("portfolio.csv",
                                      "name,type,spot,strike,rate,volatility,maturity,paths\n"
                                      "large,call,100,105,0.03,0.2,1,1000\nsmall,call,100,105,0.03,0.2,1,10\n")
                               .string();
  expect_complaint({"--problem", "option", "--portfolio", path.c_str(), "--granule", "11"}, path + ":3");
  EXPECT_EQ(complaint({"--problem", "option", "--portfolio", path.c_str(), "--granule", "10"}), "");
}

}  // namespace
