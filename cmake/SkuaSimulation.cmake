# Whether simulated machines may run over SimGrid, beside the plain engine: sets SKUA_HAS_SIMGRID.
if(NOT SKUA_SIMULATION MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SKUA_SIMULATION=${SKUA_SIMULATION}: give AUTO, ON or OFF")
endif()

set(SKUA_HAS_SIMGRID FALSE)
if(SKUA_SIMULATION STREQUAL "ON")
  find_package(SimGrid 3.32 REQUIRED)
  set(SKUA_HAS_SIMGRID TRUE)
elseif(SKUA_SIMULATION STREQUAL "AUTO" AND SKUA_SANITIZE)
  # SimGrid switches stacks by itself, behind the back of sanitizers.
  message(STATUS "skua: no simulated machines over SimGrid: a build with sanitizers")
elseif(SKUA_SIMULATION STREQUAL "AUTO")
  find_package(SimGrid 3.32 QUIET)
  set(SKUA_HAS_SIMGRID ${SimGrid_FOUND})
  if(NOT SimGrid_FOUND)
    message(STATUS "skua: no simulated machines over SimGrid: it was not found (Debian: libsimgrid-dev)")
  endif()
endif()
