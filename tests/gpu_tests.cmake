# Tests of runtime/gpu/: without GPUs, over a HIP runtime of the tests' own; and on real ones.
skua_test(gpu_plain_tests LABEL unit
  SOURCES
    unit/gpu_parts_test.cpp
    unit/gpu_rounds_test.cpp
    unit/measured_links_test.cpp
    unit/slicing_test.cpp
  LIBRARIES skua::runtime skua::runtime_inside nlohmann_json::nlohmann_json)

find_path(SKUA_HIP_HEADERS hip/hip_runtime_api.h PATHS /opt/rocm/include)
if(SKUA_HIP_HEADERS)
  set(stubbed backend call copy copy_queue device exit_fence list measure memory own_thread partition peers slot)
  list(TRANSFORM stubbed REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/runtime/gpu/\\1.cpp")
  # skua_stubbed_test(NAME SOURCES ... LIBRARIES ...): a test of the GPU backend over that runtime.
  function(skua_stubbed_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
    skua_test(${name} LABEL unit SOURCES ${arg_SOURCES} support/hip_stub.cpp ${stubbed} LIBRARIES ${arg_LIBRARIES} skua::runtime_inside)
    target_include_directories(${name} SYSTEM PRIVATE "${SKUA_HIP_HEADERS}")
    target_compile_definitions(${name} PRIVATE SKUA_GPU_HIP=1)
  endfunction()
  skua_stubbed_test(gpu_backend_tests
    SOURCES unit/gpu_copy_test.cpp unit/gpu_device_test.cpp unit/gpu_drop_test.cpp
    LIBRARIES skua::runtime)
  skua_stubbed_test(gpu_jobs_tests SOURCES unit/gpu_jobs_test.cpp LIBRARIES skua::scheduler)
else()
  message(STATUS "skua: no tests of the GPU backend: HIP's headers were not found (Debian: libamdhip64-dev)")
endif()

# Compiled wherever there is a GPU compiler; run where there is a GPU.
if(NOT SKUA_GPU_KIND STREQUAL "none")
  skua_test(gpu_tests LABEL gpu SOURCES gpu/gpu_test.cpp gpu/stop_on_gpu_test.cpp support/loops_on_gpu.cpp LIBRARIES skua::scheduler skua::runtime_inside)
  skua_gpu_sources(gpu_tests support/loops_on_gpu.cpp)
endif()
