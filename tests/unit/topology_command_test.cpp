// skua topology, as a user calls it.
#include "topology_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>

#include "support/kfd_fixture.hpp"

namespace skua {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What the command prints; an option that is refused is thrown as CLI::ParseError.
std::string output_of(std::vector<std::string> arguments) {
  CLI::App application;
  int exit_code = -1;
  add_topology_command(application, exit_code);
  arguments.insert(arguments.begin(), "topology");
  std::reverse(arguments.begin(), arguments.end());
  ::testing::internal::CaptureStdout();
  try {
    application.parse(arguments);
  } catch (...) {
    ::testing::internal::GetCapturedStdout();
    throw;
  }
  EXPECT_EQ(exit_code, 0);
  return ::testing::internal::GetCapturedStdout();
}

std::string tree() {
  static const test::KfdFixture fixture = test::KfdFixture::from_file("two_hives");
  return fixture.folder().path().string();
}

TEST(TopologyCommand, PrintsATreeInEveryFormat) {
  EXPECT_THAT(output_of({"--sysfs", tree()}), StartsWith("GPUs\n"));
  EXPECT_THAT(output_of({"--sysfs", tree(), "--format", "dot"}), StartsWith("graph skua {"));
  const auto json = nlohmann::json::parse(output_of({"--sysfs", tree(), "--format", "json"}));
  EXPECT_EQ(json["gpus"].size(), 4u);
  EXPECT_EQ(nlohmann::json::parse(output_of({"--sysfs", tree(), "--json"})), json);
}

TEST(TopologyCommand, ReadsAFile) {
  const test::TemporaryFolder folder;
  const std::string json = output_of({"--sysfs", tree(), "--json"});
  const auto file = folder.write("machine.json", json);
  EXPECT_EQ(output_of({"--file", file.string(), "--json"}), json);
}

TEST(TopologyCommand, RefusesUnknownWordsAndContradictions) {
  EXPECT_THROW(output_of({"--from", "guess"}), CLI::ValidationError);
  EXPECT_THROW(output_of({"--format", "xml"}), CLI::ValidationError);
  EXPECT_THROW(output_of({"--colour"}), CLI::ParseError);
  EXPECT_THROW(output_of({"--sysfs", tree(), "--file", "x"}), CLI::ExcludesError);
  EXPECT_THROW(output_of({"--sysfs", "/no/such/folder"}), InputError);
  EXPECT_THROW(output_of({"--file", "/no/such/file"}), InputError);
}

TEST(TopologyCommand, MeasuresThisMachineOnlyAndNotIntoAPicture) {
  EXPECT_THROW(output_of({"--measure", "--file", "x"}), CLI::ExcludesError);
  EXPECT_THROW(output_of({"--measure", "--sysfs", tree()}), CLI::ExcludesError);
  EXPECT_THROW(output_of({"--measure", "--format", "dot"}), InputError);
}

TEST(TopologyCommand, ARefusalNamesTheOptionAndTheWord) {
  try {
    output_of({"--from", "guess"});
    FAIL();
  } catch (const CLI::ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--from"));
    EXPECT_THAT(error.what(), HasSubstr("guess"));
  }
}

}  // namespace
}  // namespace skua
