# Tests of runtime/gpu/: without GPUs, over a HIP runtime of the tests' own; and on real ones.
skua_test(gpu_plain_tests LABEL unit
  SOURCES
    unit/gpu_kept_test.cpp
    unit/gpu_measure_test.cpp
    unit/gpu_parts_test.cpp
    unit/local_rank_test.cpp
    unit/gpu_rounds_test.cpp
    unit/slicing_test.cpp
  LIBRARIES skua::runtime skua::runtime_inside nlohmann_json::nlohmann_json)

find_path(SKUA_HIP_HEADERS hip/hip_runtime_api.h PATHS /opt/rocm/include)
if(SKUA_HIP_HEADERS)
  # The GPU backend over that runtime, compiled once for both programs.
  set(stubbed backend call copy copy_queue device earlier_work exit_fence first_task list measure memory own_thread partition peers quiet_calls slot)
  list(TRANSFORM stubbed REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/runtime/gpu/\\1.cpp")
  add_library(gpu_on_stub OBJECT ${stubbed} support/hip_stub.cpp)
  target_link_libraries(gpu_on_stub PUBLIC skua::runtime skua::runtime_inside PRIVATE skua_build_options)
  target_include_directories(gpu_on_stub PUBLIC "${PROJECT_SOURCE_DIR}/tests")
  target_include_directories(gpu_on_stub SYSTEM PUBLIC "${SKUA_HIP_HEADERS}")
  target_compile_definitions(gpu_on_stub PUBLIC SKUA_GPU_HIP=1)
  set_target_properties(gpu_on_stub PROPERTIES CXX_EXTENSIONS OFF)
  set_target_properties(gpu_on_stub PROPERTIES EXCLUDE_FROM_ALL TRUE)
  skua_precompile(gpu_on_stub)
  skua_test(gpu_backend_tests LABEL unit
    SOURCES unit/gpu_call_test.cpp unit/gpu_copy_test.cpp unit/gpu_device_test.cpp gpu/drop_on_stub_test.cpp
    LIBRARIES gpu_on_stub)
  skua_test(gpu_jobs_tests LABEL unit
    SOURCES gpu/jobs_on_stub_test.cpp gpu/memory_on_stub_test.cpp gpu/order_on_stub_test.cpp
    LIBRARIES skua::scheduler gpu_on_stub)
else()
  message(STATUS "skua: no tests of the GPU backend: HIP's headers were not found (Debian: libamdhip64-dev)")
endif()

# Compiled wherever there is a GPU compiler; run where there is a GPU.
if(NOT SKUA_GPU_KIND STREQUAL "none")
  skua_test(gpu_tests LABEL gpu
    SOURCES gpu/gpu_test.cpp gpu/limits_test.cpp gpu/memory_on_gpu_test.cpp gpu/order_on_gpu_test.cpp gpu/stop_on_gpu_test.cpp
      support/loops_of_both_kinds.cpp support/loops_on_gpu.cpp
    LIBRARIES skua::scheduler skua::runtime_inside)
  skua_gpu_sources(gpu_tests support/loops_on_gpu.cpp support/loops_of_both_kinds.cpp)
endif()
