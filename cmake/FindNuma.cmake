# Numa::numa.
find_path(NUMA_INCLUDE_DIR numa.h)
find_library(NUMA_LIBRARY numa)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Numa REQUIRED_VARS NUMA_LIBRARY NUMA_INCLUDE_DIR)
if(Numa_FOUND AND NOT TARGET Numa::numa)
  add_library(Numa::numa UNKNOWN IMPORTED)
  set_target_properties(Numa::numa PROPERTIES
    IMPORTED_LOCATION "${NUMA_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${NUMA_INCLUDE_DIR}")
endif()
mark_as_advanced(NUMA_INCLUDE_DIR NUMA_LIBRARY)
