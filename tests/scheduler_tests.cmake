# Tests of runtime/ and scheduler/.
skua_test(scheduler_tests LABEL unit
  SOURCES
    unit/backends_test.cpp
    unit/chunking_test.cpp
    unit/distances_test.cpp
    unit/feedback_test.cpp
    unit/gpu_parts_test.cpp
    unit/late_chunks_test.cpp
    unit/load_watch_test.cpp
    unit/measured_links_test.cpp
    unit/placement_test.cpp
    unit/reduction_test.cpp
    unit/report_test.cpp
    unit/scheduler_test.cpp
    unit/share_test.cpp
    unit/slicing_test.cpp
    unit/stealing_test.cpp
    unit/worker_test.cpp
  LIBRARIES skua::scheduler skua::scheduler_inside nlohmann_json::nlohmann_json)

skua_test(conformance_tests LABEL conformance SOURCES conformance/conformance_test.cpp LIBRARIES skua::scheduler)

# The GPU backend itself, compiled over a HIP runtime of the tests' own.
find_path(SKUA_HIP_HEADERS hip/hip_runtime_api.h PATHS /opt/rocm/include)
if(SKUA_HIP_HEADERS)
  set(runtime "${PROJECT_SOURCE_DIR}/runtime")
  skua_test(gpu_backend_tests LABEL unit
    SOURCES
      unit/gpu_device_test.cpp
      support/hip_stub.cpp
      ${runtime}/backend_hip.cpp
      unit/gpu_copy_test.cpp
      ${runtime}/gpu_call.cpp
      ${runtime}/gpu_copy.cpp
      ${runtime}/gpu_device.cpp
      ${runtime}/gpu_list.cpp
      ${runtime}/gpu_memory.cpp
      ${runtime}/gpu_partition.cpp
      ${runtime}/gpu_peers.cpp
      ${runtime}/measure_links.cpp
    LIBRARIES skua::scheduler skua::runtime_inside)
  target_include_directories(gpu_backend_tests SYSTEM PRIVATE "${SKUA_HIP_HEADERS}")
  target_compile_definitions(gpu_backend_tests PRIVATE SKUA_GPU_HIP=1)
else()
  message(STATUS "skua: no tests of the GPU backend: HIP's headers were not found (Debian: libamdhip64-dev)")
endif()

# Compiled wherever there is a GPU compiler; run where there is a GPU.
if(NOT SKUA_GPU_KIND STREQUAL "none")
  skua_test(gpu_tests LABEL gpu SOURCES gpu/gpu_test.cpp support/loops_on_gpu.cpp LIBRARIES skua::scheduler)
  skua_gpu_sources(gpu_tests support/loops_on_gpu.cpp)
endif()

skua_test(stress_tests LABEL stress SOURCES stress/stress_test.cpp LIBRARIES skua::scheduler)

# Relacy replaces words of the language by macros, and is not written for our warnings or sanitizers.
find_path(RELACY_INCLUDE_DIR relacy/relacy.hpp)
if(RELACY_INCLUDE_DIR AND NOT SKUA_SANITIZE)
  add_executable(model_tests model/model_test.cpp)
  target_include_directories(model_tests SYSTEM PRIVATE "${RELACY_INCLUDE_DIR}")
  target_include_directories(model_tests PRIVATE "${PROJECT_SOURCE_DIR}/scheduler/include")
  target_compile_features(model_tests PRIVATE cxx_std_20)
  target_compile_options(model_tests PRIVATE -w)
  add_test(NAME Model.EveryInterleavingOfShareAndParking COMMAND model_tests)
  set_tests_properties(Model.EveryInterleavingOfShareAndParking PROPERTIES LABELS model TIMEOUT 300)
else()
  message(STATUS "skua: no model checks: no Relacy, or a build with sanitizers")
endif()

skua_test(simulation_tests LABEL simulation
  SOURCES
    simulation/fuzz_test.cpp
    simulation/simulation_test.cpp
    support/scenarios.cpp
    support/virtual_machine.cpp
  LIBRARIES skua::scheduler)
