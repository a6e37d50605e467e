// The command line of the program skua, as a user types it.
#include "command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>

#include "support/kfd_fixture.hpp"

namespace skua {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What the program prints; what it refuses is thrown as InputError.
std::string output_of(std::vector<std::string> words) {
  words.insert(words.begin(), "skua");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  ::testing::internal::CaptureStdout();
  try {
    EXPECT_EQ(run_command_line(static_cast<int>(arguments.size()), arguments.data()), 0);
  } catch (...) {
    ::testing::internal::GetCapturedStdout();
    throw;
  }
  return ::testing::internal::GetCapturedStdout();
}

std::string refusal_of(const std::vector<std::string>& words) {
  try {
    output_of(words);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string tree() {
  static const test::KfdFixture fixture = test::KfdFixture::from_file("two_hives");
  return fixture.folder().path().string();
}

TEST(CommandLine, TellsTheTopologyCommandWhatWasAskedFor) {
  EXPECT_THAT(output_of({"topology", "--sysfs", tree()}), StartsWith("GPUs\n"));
  EXPECT_THAT(output_of({"topology", "--sysfs", tree(), "--format", "dot"}), StartsWith("graph skua {"));
  const std::string json = output_of({"topology", "--from", "kfd", "--sysfs", tree(), "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json)["gpus"].size(), 4u);
  EXPECT_EQ(output_of({"topology", "--sysfs", tree(), "--json"}), json);
  const test::TemporaryFolder folder;
  EXPECT_EQ(output_of({"topology", "--file", folder.write("machine.json", json).string(), "--json"}), json);
}

TEST(CommandLine, RefusesUnknownWordsAndNamesThem) {
  EXPECT_THAT(refusal_of({"topology", "--from", "guess"}), AllOf(HasSubstr("--from"), HasSubstr("guess")));
  EXPECT_THAT(refusal_of({"topology", "--format", "xml"}), AllOf(HasSubstr("--format"), HasSubstr("xml")));
  EXPECT_THAT(refusal_of({"topology", "--colour"}), HasSubstr("--colour"));
  EXPECT_THAT(refusal_of({"topologies"}), HasSubstr("topologies"));
}

TEST(CommandLine, NamesTheCommandsToWhomNamesNone) {
  EXPECT_THAT(refusal_of({}), AllOf(HasSubstr("topology"), HasSubstr("simulate"), HasSubstr("--help")));
}

TEST(CommandLine, TakesPoliciesWithSpacesBetween) {
  EXPECT_THAT(output_of({"simulate", "--scenario", "short", "--policy", "static, factoring"}),
              AllOf(HasSubstr("static "), HasSubstr("factoring ")));
}

TEST(CommandLine, TriesAllPoliciesOutOverSeveralSeeds) {
  const std::vector<std::string> words = {"simulate", "--scenario", "cluster-end", "--policy", "all", "--seeds", "2"};
  const std::string output = output_of(words);
  EXPECT_THAT(output, StartsWith("cluster-end, 2 seeds"));
  for (const char* policy : {"factoring ", "fixed ", "formula ", "guided ", "static "}) {
    EXPECT_THAT(output, HasSubstr(policy));
  }
  EXPECT_EQ(output, output_of(words));
}

TEST(CommandLine, SimulatesTheMachineFileThatTheDocumentsName) {
  const std::string file = std::string(SKUA_SOURCE_DIR) + "/samples/data/machine.json";
  EXPECT_THAT(output_of({"simulate", "--machine", file, "--items", "1e5"}), HasSubstr("factoring "));
}

TEST(CommandLine, RefusesOptionsThatContradictEachOther) {
  EXPECT_THAT(refusal_of({"topology", "--sysfs", tree(), "--file", "x"}), HasSubstr("--sysfs"));
  EXPECT_THAT(refusal_of({"topology", "--measure", "--file", "x"}), HasSubstr("--file"));
  EXPECT_THAT(refusal_of({"topology", "--measure", "--sysfs", tree()}), HasSubstr("--sysfs"));
  EXPECT_THAT(refusal_of({"topology", "--json", "--format", "dot"}), HasSubstr("--format"));
}

TEST(CommandLine, PrintsHelpAndVersionWithoutRunningAnything) {
  EXPECT_THAT(output_of({"--help"}), HasSubstr("topology"));
  EXPECT_THAT(output_of({"topology", "--help"}), HasSubstr("--sysfs"));
  EXPECT_THAT(output_of({"--version"}), StartsWith("skua 0."));
}

}  // namespace
}  // namespace skua
