// Libraries opened at run time, with the C library and the stub of NVML in the place of a vendor's.
#include <vendor/vendor_library.hpp>

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <vendor/nvml_library.hpp>
#include "support/temporary_folder.hpp"

namespace skua {
namespace {

TEST(VendorLibrary, IsTheFirstThatIsThere) {
  const auto library = VendorLibrary::open({"libthat_is_not_there.so", "libc.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->name(), "libc.so.6");
  EXPECT_FALSE(VendorLibrary::open({"libthat_is_not_there.so"}));
  EXPECT_FALSE(VendorLibrary::open({}));
}

TEST(VendorLibrary, CallsAFunctionOrSaysThatItIsAbsent) {
  const auto library = VendorLibrary::open({"libc.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->call(-1, "toupper", int{'a'}), 'A');
  EXPECT_EQ(library->call(-1, "no_such_function", int{'a'}), -1);
}

TEST(VendorLibrary, IsFoundAmongWhatAProcessHasLoaded) {
  const test::TemporaryFolder folder;
  const auto maps = folder.write("maps", "7f00-7f01 r-xp 00000000 08:01 1 /opt/vendor/lib/libsecond.so.2\n");
  EXPECT_EQ(loaded_library(maps, {"libfirst", "libsecond"}), "libsecond");
  EXPECT_EQ(loaded_library(maps, {"libfirst"}), std::nullopt);
  EXPECT_EQ(loaded_library(folder.path() / "no_maps", {"libsecond"}), std::nullopt);
}

TEST(NvmlLibrary, ListsTheDevicesOfTheDriver) {
  const auto library = NvmlLibrary::open(SKUA_NVML_STUB);
  ASSERT_TRUE(library);
  ASSERT_EQ(library->start(), NvmlStatus::success);
  EXPECT_EQ(library->devices().value().size(), 4u);
  EXPECT_EQ(library->call("nvmlThatIsNotThere"), NvmlStatus::function_not_found);
  library->shut_down();
}

}  // namespace
}  // namespace skua
