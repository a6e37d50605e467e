# How every target of skua is made: language level, warnings, sanitizers, one include root a module.

# Compile options of all our own targets; not exported.
add_library(skua_build_options INTERFACE)
target_compile_options(skua_build_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:HIP>:-Wall -Wextra -Wshadow>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(SKUA_SANITIZE)
  list(JOIN SKUA_SANITIZE "," skua_sanitizers)
  target_compile_options(skua_build_options INTERFACE -fsanitize=${skua_sanitizers} -fno-omit-frame-pointer)
  target_link_options(skua_build_options INTERFACE -fsanitize=${skua_sanitizers})
endif()

# skua_module(NAME SOURCES ... HEADERS ...): library skua_NAME with alias skua::NAME.
# HEADERS stand in include/skua and are verified one by one by the target all_verify_interface_header_sets.
function(skua_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS")
  add_library(skua_${name} ${arg_SOURCES})
  add_library(skua::${name} ALIAS skua_${name})
  list(TRANSFORM arg_HEADERS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/include/skua/")
  target_sources(skua_${name} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${arg_HEADERS})
  target_compile_features(skua_${name} PUBLIC cxx_std_20)
  target_link_libraries(skua_${name} PRIVATE $<BUILD_INTERFACE:skua_build_options>)
  set_target_properties(skua_${name} PROPERTIES
    EXPORT_NAME ${name}
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# skua_program(NAME SOURCES ... LIBRARIES ...): a program in build/PRESET/bin.
function(skua_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE skua_build_options ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
