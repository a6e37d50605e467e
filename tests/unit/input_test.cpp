// Numbers and variables from outside.
#include <skua/input.hpp>

#include <cstdlib>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skua {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseCount, ReadsWholeNumbersAsPeopleWriteThem) {
  EXPECT_EQ(parse_count("0", "--paths"), 0u);
  EXPECT_EQ(parse_count("20000000", "--paths"), 20'000'000u);
  EXPECT_EQ(parse_count("2e7", "--paths"), 20'000'000u);
  EXPECT_EQ(parse_count("8.6e9", "--paths"), 8'600'000'000u);
  EXPECT_EQ(parse_count("1E+3", "--paths"), 1000u);
  EXPECT_EQ(parse_count("1200e-2", "--paths"), 12u);
  EXPECT_EQ(parse_count("3.000", "--paths"), 3u);
  EXPECT_EQ(parse_count("0e99", "--paths"), 0u);
}

TEST(ParseCount, IsExactUpToTheLargest) {
  EXPECT_EQ(parse_count("18446744073709551615", "n"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_count("9007199254740993", "n"), 9007199254740993u);
  EXPECT_EQ(parse_count("1.8446744073709551615e19", "n"), std::numeric_limits<std::uint64_t>::max());
}

TEST(ParseCount, RefusesWhatDoesNotFit) {
  for (const char* text : {"18446744073709551616", "1e20", "2e19", "99999999999999999999999", "1e2000000000"}) {
    EXPECT_THAT(message_of([&] { parse_count(text, "--paths"); }), HasSubstr("2^64-1")) << text;
  }
}

TEST(ParseCount, RefusesFractions) {
  for (const char* text : {"1.5", "1e-1", "2.25e1", "1e-2000000000"}) {
    EXPECT_THAT(message_of([&] { parse_count(text, "--paths"); }), HasSubstr("whole")) << text;
  }
}

TEST(ParseCount, RefusesOtherTextAndNamesTheOption) {
  for (const char* text :
       {"", "-1", "+1", "1e", "e7", ".", "0x10", "1 000", "1,000", "nan", "inf", "2e7x", "1e99999999999"}) {
    const std::string message = message_of([&] { parse_count(text, "--paths"); });
    EXPECT_THAT(message, HasSubstr("--paths")) << text;
    EXPECT_THAT(message, HasSubstr(text));
  }
}

TEST(ParseNumber, ReadsFiniteNumbersOnly) {
  EXPECT_DOUBLE_EQ(parse_number("-2.5e-3", "--rate"), -2.5e-3);
  for (const char* text : {"", "nan", "inf", "1e999", "1.0x", "rate"}) {
    EXPECT_THAT(message_of([&] { parse_number(text, "--rate"); }), HasSubstr("--rate")) << text;
  }
}

class Environment : public ::testing::Test {
 protected:
  const std::vector<std::string> of_sites = {"SKUA_ROOT",    "SKUA_DIR", "SKUA_HOME",   "SKUA_PREFIX", "SKUA_PATH",
                                             "SKUA_VERSION", "SKUA_LIB", "EBSKUA_ROOT", "SKUA_INC",    "SKUA_GCC_ROOT"};
  void TearDown() override {
    for (const char* name : {"SKUA_DEVICES", "SKUA_TRACE", "SKUA_DEVICE", "SKUA_TOPOLGY"}) unsetenv(name);
    for (const std::string& name : of_sites) unsetenv(name.c_str());
  }
};

TEST_F(Environment, AnEmptyVariableIsAnUnsetOne) {
  EXPECT_FALSE(environment_variable("SKUA_TRACE"));
  setenv("SKUA_TRACE", "", 1);
  EXPECT_FALSE(environment_variable("SKUA_TRACE"));
  setenv("SKUA_TRACE", "a.json", 1);
  EXPECT_EQ(environment_variable("SKUA_TRACE"), "a.json");
}

TEST_F(Environment, KnownVariablesPass) {
  setenv("SKUA_DEVICES", "host:2", 1);
  EXPECT_NO_THROW(check_environment());
}

TEST_F(Environment, AnUnknownVariableIsNamedWithItsNearestNeighbour) {
  setenv("SKUA_TOPOLGY", "x", 1);
  const std::string message = message_of([] { check_environment(); });
  EXPECT_THAT(message, HasSubstr("SKUA_TOPOLGY"));
  EXPECT_THAT(message, HasSubstr("SKUA_TOPOLOGY"));
}

TEST_F(Environment, VariablesThatASiteSetsForAnyPackagePass) {
  for (const std::string& name : of_sites) setenv(name.c_str(), "/opt/skua", 1);
  EXPECT_THAT(unknown_variables(), IsEmpty());
  EXPECT_NO_THROW(check_environment());
}

TEST_F(Environment, EveryUnknownVariableIsNamed) {
  setenv("SKUA_TOPOLGY", "x", 1);
  setenv("SKUA_DEVICE", "", 1);
  EXPECT_THAT(unknown_variables(), UnorderedElementsAre(HasSubstr("SKUA_TOPOLGY"), HasSubstr("SKUA_DEVICE ")));
}

}  // namespace
}  // namespace skua
