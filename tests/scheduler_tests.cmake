# Tests of scheduler/, and of what runtime/ does for hosts.
skua_test(scheduler_tests LABEL unit
  SOURCES
    unit/backends_test.cpp
    unit/feedback_test.cpp
    unit/flight_test.cpp
    unit/granules_test.cpp
    unit/late_chunk_test.cpp
    unit/late_finder_test.cpp
    unit/late_rule_test.cpp
    unit/load_watch_test.cpp
    unit/nearness_test.cpp
    unit/place_costs_test.cpp
    unit/placement_test.cpp
    unit/policies_test.cpp
    unit/progress_test.cpp
    unit/rate_board_test.cpp
    unit/rate_memory_test.cpp
    unit/reduction_test.cpp
    unit/refill_test.cpp
    unit/report_test.cpp
    unit/results_test.cpp
    unit/share_test.cpp
    unit/stealing_test.cpp
    unit/work_test.cpp
    unit/worker_test.cpp
  LIBRARIES skua::scheduler skua::scheduler_inside nlohmann_json::nlohmann_json)

if(TARGET Random123::Random123)
  target_sources(scheduler_tests PRIVATE unit/random_test.cpp)
endif()

# What has threads of its own: the thread sanitizer watches this program, and not the one above.
skua_test(scheduler_threads_tests LABEL unit
  SOURCES
    unit/crew_test.cpp
    unit/crew_waiting_test.cpp
    unit/device_test.cpp
    unit/earlier_test.cpp
    unit/job_options_test.cpp
    unit/job_report_test.cpp
    unit/job_run_test.cpp
    unit/loop_kernels_test.cpp
    unit/scheduler_test.cpp
    unit/turn_test.cpp
    unit/waiting_test.cpp
  LIBRARIES skua::scheduler skua::scheduler_inside nlohmann_json::nlohmann_json)
if(TARGET TBB::tbb)
  target_sources(scheduler_threads_tests PRIVATE unit/cores_test.cpp)
  target_link_libraries(scheduler_threads_tests PRIVATE TBB::tbb)
  target_compile_definitions(scheduler_threads_tests PRIVATE SKUA_HAS_TBB=1)
endif()

skua_test(conformance_tests LABEL conformance SOURCES conformance/conformance_test.cpp LIBRARIES skua::scheduler)

find_program(SKUA_CLANG NAMES clang++ clang++-15 clang++-14)
mark_as_advanced(SKUA_CLANG)

# What programs write, as they compile it: with every warning an error, or not at all.
if(NOT SKUA_SANITIZE)
  set(program_includes "")
  foreach(folder base topology runtime scheduler)
    list(APPEND program_includes "-I${PROJECT_SOURCE_DIR}/${folder}/include")
  endforeach()
  set(program_compilers "${CMAKE_CXX_COMPILER}")
  if(SKUA_CLANG AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND program_compilers "${SKUA_CLANG}")
  endif()
  foreach(compiler IN LISTS program_compilers)
    cmake_path(GET compiler FILENAME by)
    set(check "${compiler}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror ${program_includes})
    add_test(NAME Interface.CompilesWithoutAWarning/${by}
      COMMAND ${check} -Wconversion "${CMAKE_CURRENT_SOURCE_DIR}/compile/interface_test.cpp")
    set_tests_properties(Interface.CompilesWithoutAWarning/${by} PROPERTIES LABELS unit)
    # Each of its seven reductions is an error that says so.
    add_test(NAME Interface.RefusesToCarryWhatInitDoesNotHold/${by}
      COMMAND sh -c "test \"$(\"$@\" 2>&1 | grep -c 'error: stat.*That type is the type of init')\" = 7" sh
        ${check} "${CMAKE_CURRENT_SOURCE_DIR}/compile/refused_test.cpp")
    set_tests_properties(Interface.RefusesToCarryWhatInitDoesNotHold/${by} PROPERTIES LABELS unit)
  endforeach()
endif()

# Clang knows the annotations of locks (scheduler/job/mutex.hpp).
if(SKUA_CLANG AND NOT SKUA_SANITIZE)
  file(GLOB locking_sources "${PROJECT_SOURCE_DIR}/scheduler/job/*.cpp" "${PROJECT_SOURCE_DIR}/scheduler/run/*.cpp")
  set(locking_includes "")
  foreach(folder base topology runtime scheduler)
    list(APPEND locking_includes "-I${PROJECT_SOURCE_DIR}/${folder}" "-I${PROJECT_SOURCE_DIR}/${folder}/include")
  endforeach()
  add_test(NAME Locks.AreHeldWhereverWhatTheyGuardIsTouched
    COMMAND "${SKUA_CLANG}" -std=c++20 -fsyntax-only -Wthread-safety -Werror=thread-safety ${locking_includes}
      ${locking_sources})
  set_tests_properties(Locks.AreHeldWhereverWhatTheyGuardIsTouched PROPERTIES LABELS tidy)
endif()

# What launchers include is there without a GPU's runtime, too.
set(header_includes "")
foreach(folder base topology runtime scheduler)
  list(APPEND header_includes "-I${PROJECT_SOURCE_DIR}/${folder}/include")
endforeach()
add_test(NAME Headers.LaunchersCompileWithoutAGpuRuntime
  COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only ${header_includes}
    "${CMAKE_CURRENT_SOURCE_DIR}/support/launcher_without_gpus.cpp")
set_tests_properties(Headers.LaunchersCompileWithoutAGpuRuntime PROPERTIES LABELS unit)

skua_test(stress_tests LABEL stress SOURCES stress/faults_test.cpp stress/stress_test.cpp LIBRARIES skua::scheduler skua::scheduler_inside)

# Relacy replaces words of the language by macros, and is not written for our warnings or sanitizers.
find_path(RELACY_INCLUDE_DIR relacy/relacy.hpp)
if(RELACY_INCLUDE_DIR AND NOT SKUA_SANITIZE)
  add_executable(model_tests model/model_test.cpp)
  target_include_directories(model_tests SYSTEM PRIVATE "${RELACY_INCLUDE_DIR}")
  target_link_libraries(model_tests PRIVATE skua::scheduler_inside)
  target_include_directories(model_tests PRIVATE "${PROJECT_SOURCE_DIR}/scheduler/include"
    "${PROJECT_SOURCE_DIR}/runtime/include")
  target_compile_features(model_tests PRIVATE cxx_std_20)
  target_compile_options(model_tests PRIVATE -w)
  add_test(NAME Model.EveryInterleavingOfShareFlightAndParking COMMAND model_tests)
  set_tests_properties(Model.EveryInterleavingOfShareFlightAndParking PROPERTIES LABELS model TIMEOUT 300)
else()
  message(STATUS "skua: no model checks: no Relacy, or a build with sanitizers")
endif()
