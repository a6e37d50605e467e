// Tests of portfolios and slab cases read from CSV files.
#include <monte_carlo/portfolio.hpp>

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <monte_carlo/slab_cases.hpp>
#include <skua/input.hpp>
#include <support/temporary_folder.hpp>

namespace {

using monte_carlo::OptionType;
using monte_carlo::Position;
using monte_carlo::read_portfolio;
using monte_carlo::read_slab_case;

/// A file that is gone when the test is over.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) : path_(folder_.write("table.csv", content).string()) {}
  const std::string& path() const { return path_; }

 private:
  skua::test::TemporaryFolder folder_;
  std::string path_;
};

/// The message of the InputError, without the folder of the file; empty when there was none.
std::string complaint(const std::string& content, const std::function<void(const std::string&)>& read) {
  const TemporaryFile file(content);
  try {
    read(file.path());
  } catch (const skua::InputError& error) {
    std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos);
    for (std::size_t at; (at = message.find(file.path())) != std::string::npos;) {
      message.replace(at, file.path().size(), "FILE");
    }
    return message;
  }
  return {};
}

std::string portfolio_complaint(const std::string& content) {
  return complaint(content, [](const std::string& path) { read_portfolio(path); });
}

std::string case_complaint(const std::string& content, const std::string& name) {
  return complaint(content, [&](const std::string& path) { read_slab_case(path, name); });
}

const std::string header = "name,type,spot,strike,rate,volatility,maturity,paths\n";
const std::string slab_header =
    "name,absorption,scattering,anisotropy,thickness,refractive_index,reflectance,transmittance,tolerance,source\n";

TEST(Portfolio, ReadsEveryColumn) {
  const TemporaryFile file("# a comment\n\n" + header +
                           "first,call,100,105,0.03,0.2,1,2e6\nsecond,put,1,2,-0.01,0,0,7\n");
  const auto positions = read_portfolio(file.path());
  ASSERT_EQ(positions.size(), 2u);
  EXPECT_EQ(positions[0].name, "first");
  EXPECT_EQ(positions[0].option.type, OptionType::call);
  EXPECT_EQ(positions[0].option.spot, 100);
  EXPECT_EQ(positions[0].option.strike, 105);
  EXPECT_EQ(positions[0].option.rate, 0.03);
  EXPECT_EQ(positions[0].option.volatility, 0.2);
  EXPECT_EQ(positions[0].option.maturity_years, 1);
  EXPECT_EQ(positions[0].paths, 2'000'000u);
  EXPECT_EQ(positions[1].option.type, OptionType::put);
  EXPECT_EQ(positions[1].option.rate, -0.01);
}

TEST(Portfolio, TakesColumnsInAnyOrderAndIgnoresFurtherOnes) {
  const TemporaryFile file(
      "paths , desk,maturity,volatility,rate,strike,spot,type,name\r\n9,fx,1,0.2,0.03,105, 100 ,put,mine\r\n");
  const auto positions = read_portfolio(file.path());
  ASSERT_EQ(positions.size(), 1u);
  EXPECT_EQ(positions[0].name, "mine");
  EXPECT_EQ(positions[0].option.spot, 100);
  EXPECT_EQ(positions[0].paths, 9u);
}

TEST(Portfolio, NamesAMissingColumn) {
  const std::string message = portfolio_complaint("name,type,spot,rate,volatility,maturity,paths\na,put,1,1,1,1,1\n");
  EXPECT_TRUE(message.starts_with("FILE:1: column 'strike' is missing")) << message;
}

TEST(Portfolio, NamesAColumnThatIsThereTwice) {
  const std::string message = portfolio_complaint("spot," + header + "1,a,put,1,1,1,1,1,1\n");
  EXPECT_TRUE(message.starts_with("FILE:1: column 'spot' is there twice")) << message;
}

TEST(Portfolio, NamesLineAndColumnOfABadValue) {
  const std::string good = "good,call,100,105,0.03,0.2,1,10\n";
  const auto begins = [&](const std::string& row, const std::string& expected) {
    const std::string message = portfolio_complaint(header + good + row);
    EXPECT_TRUE(message.starts_with("FILE:3: column '" + expected + "'")) << message;
  };
  begins("a,call,nan,105,0.03,0.2,1,10\n", "spot");
  begins("a,call,100,-5,0.03,0.2,1,10\n", "strike");
  begins("a,call,100,105,x,0.2,1,10\n", "rate");
  begins("a,call,100,105,0.03,-0.2,1,10\n", "volatility");
  begins("a,call,100,105,0.03,0.2,inf,10\n", "maturity");
  begins("a,call,100,105,0.03,0.2,1,0\n", "paths");
  begins("a,call,100,105,0.03,0.2,1,1.5\n", "paths");
  begins("a,swap,100,105,0.03,0.2,1,10\n", "type");
  begins(",call,100,105,0.03,0.2,1,10\n", "name");
  begins("a,call,100,105,0.03,0.2,1\n", "paths");
}

TEST(Portfolio, RefusesRowsThatAreTooLongAndFilesWithoutRows) {
  EXPECT_TRUE(portfolio_complaint(header + "a,call,100,105,0.03,0.2,1,10,extra\n").starts_with("FILE:2: 'extra'"));
  EXPECT_TRUE(portfolio_complaint(header).starts_with("FILE: "));
  EXPECT_TRUE(portfolio_complaint("").starts_with("FILE: "));
  EXPECT_THROW(read_portfolio("no/such/file.csv"), skua::InputError);
}

TEST(SlabCases, ReadsACaseWithItsPublishedValues) {
  const TemporaryFile file("# lengths in cm\n" + slab_header +
                           "other,1,2,0,1,1,,,,\nmine,10,90,0.75,0.02,1.4,0.1,,0.01,3\n");
  const auto one = read_slab_case(file.path(), "mine");
  EXPECT_EQ(one.name, "mine");
  EXPECT_EQ(one.slab.absorption_per_cm, 10);
  EXPECT_EQ(one.slab.scattering_per_cm, 90);
  EXPECT_EQ(one.slab.anisotropy, 0.75);
  EXPECT_EQ(one.slab.thickness_cm, 0.02);
  EXPECT_EQ(one.slab.refractive_index, 1.4);
  EXPECT_EQ(one.published.reflectance, 0.1);
  EXPECT_FALSE(one.published.transmittance.has_value());
  EXPECT_EQ(one.published.tolerance, 0.01);
}

TEST(SlabCases, ListsTheNamesWhenThereIsNoSuchCase) {
  const std::string message = case_complaint(slab_header + "milk,1,2,0,1,1,,,,\nfog,1,2,0,1,1,,,,\n", "mlik");
  EXPECT_NE(message.find("--case mlik"), std::string::npos) << message;
  EXPECT_NE(message.find("milk, fog"), std::string::npos) << message;
}

TEST(SlabCases, NamesLineAndColumnOfABadValueInAnyRow) {
  const auto begins = [](const std::string& row, const std::string& expected) {
    const std::string message = case_complaint(slab_header + "good,1,2,0,1,1,,,,\n" + row, "good");
    EXPECT_TRUE(message.starts_with("FILE:3: column '" + expected + "'")) << message;
  };
  begins("bad,-1,2,0,1,1,,,,\n", "absorption");
  begins("bad,1,nan,0,1,1,,,,\n", "scattering");
  begins("bad,1,2,2,1,1,,,,\n", "anisotropy");
  begins("bad,1,2,0,0,1,,,,\n", "thickness");
  begins("bad,1,2,0,1,0.5,,,,\n", "refractive_index");
  begins("bad,1,2,0,1,1,1.5,,,\n", "reflectance");
  begins("good,1,2,0,1,1,,,,\n", "name");
}

}  // namespace
