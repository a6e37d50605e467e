# How every target of skua is made: language level, warnings, sanitizers, one include root a module.

# Compile options of all our own targets; not exported.
add_library(skua_build_options INTERFACE)
target_compile_options(skua_build_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:HIP>:-Wall -Wextra -Wshadow>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
  # An assert is a mistake of our own: it stays on in every configuration. No installed header holds one, so that a
  # program's own NDEBUG changes nothing.
  -UNDEBUG)
if(SKUA_SANITIZE)
  list(JOIN SKUA_SANITIZE "," skua_sanitizers)
  target_compile_options(skua_build_options INTERFACE -fsanitize=${skua_sanitizers} -fno-omit-frame-pointer)
  target_link_options(skua_build_options INTERFACE -fsanitize=${skua_sanitizers})
  # These look at every access to memory, as the address sanitizer does, and double the time of compiling.
  if("undefined" IN_LIST SKUA_SANITIZE)
    target_compile_options(skua_build_options INTERFACE -fno-sanitize=null,alignment,vptr,pointer-overflow)
  endif()
endif()

# Reading the standard library costs most sources more time than all the rest: it is compiled once a module. Headers are
# verified without it, so that they include what they need.
# g++ 12 then forgets that they are the system's, and warns of memory that its strings do not touch.
option(SKUA_PRECOMPILE "Compile the headers of the standard library once a module" ${PROJECT_IS_TOP_LEVEL})
# The HIP language sets these for clang: a pragma, and a file name, that g++ does not know. It would read all the headers
# as text, without a word.
set(CMAKE_PCH_PROLOGUE "#pragma GCC system_header")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_PCH_EXTENSION ".gch")
endif()
set(skua_precompiled algorithm atomic chrono cstdint functional map memory mutex optional string vector)
list(TRANSFORM skua_precompiled REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")

if(SKUA_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(skua_build_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
endif()

# skua_precompile(TARGET): for a target of several C++ sources.
function(skua_precompile target)
  if(SKUA_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${skua_precompiled})
  endif()
endfunction()

# skua_module(NAME SOURCES ... HEADERS ... INSIDE module...): library skua_NAME with alias skua::NAME.
# HEADERS stand in include/skua: what programs include, installed and promised; all_verify_interface_header_sets compiles
# each alone. All other headers stand in folders of the module and are included as <folder/x.hpp>: by the module itself,
# and by modules above it that name it as INSIDE. skua::NAME_inside (never installed) gives that include root, and the
# roots of the modules it names, to tests and to programs of this tree.
function(skua_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;INSIDE")
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

  skua_precompile(skua_${name})

  add_library(skua_${name}_inside INTERFACE)
  add_library(skua::${name}_inside ALIAS skua_${name}_inside)
  target_include_directories(skua_${name}_inside INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}")
  list(TRANSFORM arg_INSIDE REPLACE "(.+)" "skua::\\1_inside")
  target_link_libraries(skua_${name}_inside INTERFACE ${arg_INSIDE})
  target_link_libraries(skua_${name} PRIVATE $<BUILD_INTERFACE:skua_${name}_inside>)
endfunction()

# skua_compile_quickly(SOURCE...): sources of the calling folder that run once and are costly to optimize.
function(skua_compile_quickly)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-O0;-g0")
endfunction()

# skua_program(NAME SOURCES ... LIBRARIES ...): a program in build/PRESET/bin.
function(skua_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE skua_build_options ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
