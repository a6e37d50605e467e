# Random123::Random123, its headers: for <skua/random.hpp>.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Random123 REQUIRED_VARS RANDOM123_INCLUDE_DIR)
if(Random123_FOUND AND NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED GLOBAL)
  target_include_directories(Random123::Random123 SYSTEM INTERFACE "${RANDOM123_INCLUDE_DIR}")
endif()
mark_as_advanced(RANDOM123_INCLUDE_DIR)
