// skua topology, as the command line calls it.
#include "topology_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>

#include "support/kfd_fixture.hpp"

namespace skua {
namespace {

using ::testing::StartsWith;

/// What the command prints; what it throws comes through.
std::string output_of(const TopologyArguments& arguments) {
  ::testing::internal::CaptureStdout();
  try {
    EXPECT_EQ(run_topology_command(arguments), 0);
  } catch (...) {
    ::testing::internal::GetCapturedStdout();
    throw;
  }
  return ::testing::internal::GetCapturedStdout();
}

TopologyArguments of_tree(TopologyFormat format) {
  static const test::KfdFixture fixture = test::KfdFixture::from_file("two_hives");
  TopologyArguments arguments;
  arguments.sysfs = fixture.folder().path().string();
  arguments.format = format;
  return arguments;
}

TEST(TopologyCommand, PrintsATreeInEveryFormat) {
  EXPECT_THAT(output_of(of_tree(TopologyFormat::text)), StartsWith("GPUs\n"));
  EXPECT_THAT(output_of(of_tree(TopologyFormat::dot)), StartsWith("graph skua {"));
  const auto json = nlohmann::json::parse(output_of(of_tree(TopologyFormat::json)));
  EXPECT_EQ(json["gpus"].size(), 4u);
}

TEST(TopologyCommand, ReadsAFile) {
  const test::TemporaryFolder folder;
  const std::string json = output_of(of_tree(TopologyFormat::json));
  TopologyArguments arguments;
  arguments.file = folder.write("machine.json", json).string();
  arguments.format = TopologyFormat::json;
  EXPECT_EQ(output_of(arguments), json);
}

TEST(TopologyCommand, RefusesWhatCannotBeRead) {
  TopologyArguments arguments;
  arguments.sysfs = "/no/such/folder";
  EXPECT_THROW(output_of(arguments), InputError);
  arguments = {};
  arguments.file = "/no/such/file";
  EXPECT_THROW(output_of(arguments), InputError);
}

TEST(TopologyCommand, DoesNotMeasureIntoAPicture) {
  TopologyArguments arguments = of_tree(TopologyFormat::dot);
  arguments.measures = true;
  EXPECT_THROW(output_of(arguments), InputError);
}

}  // namespace
}  // namespace skua
