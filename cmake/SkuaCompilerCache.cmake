# Compiles through ccache where there is one. To be included before the first target is made.
find_program(SKUA_CCACHE_PROGRAM ccache)
mark_as_advanced(SKUA_CCACHE_PROGRAM)
cmake_dependent_option(SKUA_CCACHE "Compile through ccache" ON "PROJECT_IS_TOP_LEVEL;SKUA_CCACHE_PROGRAM" OFF)

if(SKUA_CCACHE)
  # Sources that use a precompiled header are kept only if times in it may differ. Another clone finds what this one made.
  set(skua_compiler_launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${SKUA_CCACHE_PROGRAM}")
  foreach(language CXX HIP CUDA)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${skua_compiler_launcher}")
    endif()
  endforeach()
endif()
