// The number of this process, by a folder written for it.
#include <system/host_process_id.hpp>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace skua {
namespace {

namespace fs = std::filesystem;

TEST(OwnProcess, HasANumberOnlyWhereItIsTheHosts) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(host_process_id(folder.path()), std::nullopt);
  fs::create_directories(folder.path() / "ns");
  fs::create_symlink("pid:[4026531836]", folder.path() / "ns/pid");
  EXPECT_EQ(host_process_id(folder.path()), static_cast<std::uint32_t>(getpid()));
}

}  // namespace
}  // namespace skua
