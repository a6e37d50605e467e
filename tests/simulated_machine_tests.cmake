# Tests of simulated machines: where SimGrid is.
if(NOT TARGET skua_simulation)
  message(STATUS "skua: no tests of simulated machines")
  return()
endif()

skua_test(simulation_unit_tests LABEL unit
  SOURCES
    unit/costs_test.cpp
    unit/described_machine_test.cpp
    unit/faults_test.cpp
    unit/lower_bound_test.cpp
    unit/replay_test.cpp
    unit/simulated_test.cpp
    unit/summary_test.cpp
  LIBRARIES skua::simulation nlohmann_json::nlohmann_json)

skua_test(simulated_machine_tests LABEL simulation
  SOURCES
    simulation/field_report_test.cpp
    simulation/measured_test.cpp
    simulation/random_machine_test.cpp
    simulation/scenario_test.cpp
    support/measured_runs.cpp
  LIBRARIES skua::simulation nlohmann_json::nlohmann_json)
