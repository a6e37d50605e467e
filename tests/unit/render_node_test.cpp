// Whether a process may use a GPU, by the GPU's file.
#include <probe/render_node.hpp>

#include <filesystem>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace skua {
namespace {

TEST(RenderNode, OneThatOpensIsNotClosed) {
  const test::TemporaryFolder devices;
  devices.write("dri/renderD129", "");
  EXPECT_FALSE(why_closed(devices.path(), 129));
}

TEST(RenderNode, OneThatDoesNotOpenIsNamedWithTheReason) {
  const test::TemporaryFolder devices;
  EXPECT_EQ(why_closed(devices.path(), 128), devices.path().string() + "/dri/renderD128: No such file or directory");
  // A link to itself fails otherwise.
  std::filesystem::create_directories(devices.path() / "dri");
  std::filesystem::create_symlink("renderD130", devices.path() / "dri/renderD130");
  EXPECT_FALSE(why_closed(devices.path(), 130)) << "a failure that says nothing of the GPU";
}

TEST(RenderNode, ANumberThatIsNoneTellsNothing) {
  const test::TemporaryFolder devices;
  EXPECT_FALSE(why_closed(devices.path(), 0));
}

}  // namespace
}  // namespace skua
