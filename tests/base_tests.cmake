# Tests of base/.
add_library(nvml_stub MODULE support/nvml_stub.cpp)
target_compile_features(nvml_stub PRIVATE cxx_std_20)

skua_test(base_tests LABEL unit
  SOURCES
    unit/cpu_set_test.cpp
    unit/input_test.cpp
    unit/keep_forever_test.cpp
    unit/numbers_test.cpp
    unit/host_process_id_test.cpp
    unit/pieces_test.cpp
    unit/registry_test.cpp
    unit/spawned_program_test.cpp
    unit/thread_test.cpp
    unit/trace_test.cpp
    unit/vendor_library_test.cpp
  LIBRARIES skua::topology skua::base_inside nlohmann_json::nlohmann_json)
if(SKUA_HAS_LIBXML2)
  target_sources(base_tests PRIVATE unit/xml_document_test.cpp)
endif()
target_compile_definitions(base_tests PRIVATE SKUA_NVML_STUB="$<TARGET_FILE:nvml_stub>")
add_dependencies(base_tests nvml_stub)
