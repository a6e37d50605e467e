# Tests of the program skua: of its commands, and of its command line where that was built.
if(TARGET skua_commands)
  skua_test(topology_command_tests LABEL unit
    SOURCES unit/topology_command_test.cpp
    LIBRARIES kfd_fixture skua_commands nlohmann_json::nlohmann_json)
endif()
if(TARGET skua_command_line)
  target_sources(topology_command_tests PRIVATE unit/command_line_test.cpp)
  target_link_libraries(topology_command_tests PRIVATE skua_command_line)
endif()
