# Tests of base/.
skua_test(base_tests LABEL unit
  SOURCES
    unit/cpu_set_test.cpp
    unit/input_test.cpp
    unit/thread_test.cpp
    unit/trace_test.cpp
  LIBRARIES skua::base skua::base_inside skua::topology nlohmann_json::nlohmann_json)
if(SKUA_HAS_LIBXML2)
  target_sources(base_tests PRIVATE unit/xml_document_test.cpp)
endif()
