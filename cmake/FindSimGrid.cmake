# SimGrid::simgrid, from version 3.32 on.
find_path(SIMGRID_INCLUDE_DIR simgrid/s4u.hpp)
find_library(SIMGRID_LIBRARY simgrid)
if(SIMGRID_INCLUDE_DIR AND EXISTS "${SIMGRID_INCLUDE_DIR}/simgrid/version.h")
  file(STRINGS "${SIMGRID_INCLUDE_DIR}/simgrid/version.h" simgrid_version_line REGEX "SIMGRID_VERSION_STRING")
  string(REGEX MATCH "[0-9]+[.][0-9]+" SimGrid_VERSION "${simgrid_version_line}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SimGrid
  REQUIRED_VARS SIMGRID_LIBRARY SIMGRID_INCLUDE_DIR
  VERSION_VAR SimGrid_VERSION)
if(SimGrid_FOUND AND NOT TARGET SimGrid::simgrid)
  add_library(SimGrid::simgrid UNKNOWN IMPORTED)
  set_target_properties(SimGrid::simgrid PROPERTIES
    IMPORTED_LOCATION "${SIMGRID_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SIMGRID_INCLUDE_DIR}")
endif()
mark_as_advanced(SIMGRID_INCLUDE_DIR SIMGRID_LIBRARY)
