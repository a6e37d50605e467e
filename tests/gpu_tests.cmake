# Tests of runtime/gpu/: without GPUs, over a HIP runtime of the tests' own; and on real ones.
add_library(amd_machines OBJECT support/amd_machines.cpp)
target_link_libraries(amd_machines PUBLIC skua::topology skua::topology_inside kfd_fixture fmt::fmt PRIVATE skua_build_options)
target_include_directories(amd_machines PRIVATE "${PROJECT_SOURCE_DIR}/tests")
set_target_properties(amd_machines PROPERTIES CXX_EXTENSIONS OFF)

skua_test(gpu_plain_tests LABEL unit
  SOURCES
    unit/gpu_amd_parts_test.cpp
    unit/gpu_kept_test.cpp
    unit/gpu_measure_test.cpp
    unit/gpu_parts_test.cpp
    unit/local_rank_test.cpp
    unit/gpu_rounds_test.cpp
    unit/slicing_test.cpp
  LIBRARIES skua::runtime skua::runtime_inside nlohmann_json::nlohmann_json amd_machines kfd_fixture)

find_path(SKUA_HIP_HEADERS hip/hip_runtime_api.h HINTS "${SKUA_HIP_INCLUDE_DIR}" $ENV{ROCM_PATH}/include /opt/rocm/include)
if(SKUA_HIP_HEADERS)
  # The GPU backend over that runtime, compiled once for both programs.
  set(stubbed backend built_for call copy copy_queue device earlier_work end_times exit_fence first_task green_contexts list measure memory own_thread partition partition_hip peers quiet_calls slot)
  list(TRANSFORM stubbed REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/runtime/gpu/\\1.cpp")
  add_library(gpu_on_stub OBJECT ${stubbed}
    support/hip_stub.cpp support/hip_stub_devices.cpp support/hip_stub_green_contexts.cpp support/hip_stub_kernels.cpp
    support/hip_stub_memory.cpp support/hip_stub_queues.cpp support/hip_stub_streams.cpp)
  target_link_libraries(gpu_on_stub PUBLIC skua::runtime skua::runtime_inside PRIVATE skua_build_options)
  target_include_directories(gpu_on_stub PUBLIC "${PROJECT_SOURCE_DIR}/tests")
  # In front of HIP's own headers stands one that adds what newer versions declare.
  target_include_directories(gpu_on_stub SYSTEM PUBLIC support/newer_hip "${SKUA_HIP_HEADERS}")
  target_compile_definitions(gpu_on_stub PUBLIC SKUA_GPU_HIP=1 PRIVATE SKUA_HIP_GREEN_CONTEXTS=1)
  set_target_properties(gpu_on_stub PROPERTIES CXX_EXTENSIONS OFF)
  set_target_properties(gpu_on_stub PROPERTIES EXCLUDE_FROM_ALL TRUE)
  skua_precompile(gpu_on_stub)
  skua_test(gpu_backend_tests LABEL unit
    SOURCES unit/end_times_test.cpp unit/gpu_call_test.cpp unit/gpu_copy_test.cpp unit/gpu_device_test.cpp
      unit/gpu_first_task_test.cpp unit/gpu_list_test.cpp unit/gpu_partition_test.cpp gpu/drop_on_stub_test.cpp
      gpu/question_on_stub_test.cpp
    LIBRARIES gpu_on_stub amd_machines kfd_fixture)
  skua_test(gpu_jobs_tests LABEL unit
    SOURCES gpu/exit_on_stub_test.cpp gpu/jobs_on_stub_test.cpp gpu/machines_on_stub_test.cpp gpu/memory_on_stub_test.cpp
      gpu/order_on_stub_test.cpp unit/gpu_built_for_test.cpp
    LIBRARIES skua::scheduler gpu_on_stub amd_machines kfd_fixture)
else()
  message(STATUS "skua: no tests of the GPU backend: HIP's headers were not found (Debian: libamdhip64-dev)")
endif()

# Compiled wherever there is a GPU compiler; run where there is a GPU.
if(NOT SKUA_GPU_KIND STREQUAL "none")
  skua_test(gpu_tests LABEL gpu
    SOURCES gpu/gpu_test.cpp gpu/limits_test.cpp gpu/memory_on_gpu_test.cpp gpu/order_on_gpu_test.cpp
      gpu/own_kernels_on_gpu_test.cpp gpu/stop_on_gpu_test.cpp
      support/loops_of_both_kinds.cpp support/loops_on_gpu.cpp
    LIBRARIES skua::scheduler skua::runtime_inside)
  skua_gpu_sources(gpu_tests support/loops_on_gpu.cpp support/loops_of_both_kinds.cpp)
endif()

if(SKUA_GPU_KIND STREQUAL "hip" AND NOT SKUA_SANITIZE)
  separate_arguments(skua_hip_flags UNIX_COMMAND "${CMAKE_HIP_FLAGS}")
  add_test(NAME Instructions.OfAmdKernelsWriteCachesBackOnceABlock
    COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/install/instructions.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_HIP_COMPILER}" ${skua_hip_flags})
  set_tests_properties(Instructions.OfAmdKernelsWriteCachesBackOnceABlock PROPERTIES LABELS unit TIMEOUT 120)
endif()
