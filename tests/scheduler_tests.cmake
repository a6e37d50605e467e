# Tests of runtime/ and scheduler/.
skua_test(scheduler_tests LABEL unit
  SOURCES
    unit/scheduler_test.cpp
  LIBRARIES skua::scheduler nlohmann_json::nlohmann_json)
target_include_directories(scheduler_tests PRIVATE "${PROJECT_SOURCE_DIR}/scheduler" "${PROJECT_SOURCE_DIR}/runtime")
skua_test(conformance_tests LABEL conformance SOURCES conformance/conformance_test.cpp LIBRARIES skua::scheduler)
skua_test(stress_tests LABEL stress SOURCES stress/stress_test.cpp LIBRARIES skua::scheduler)
