# Tests of simulated machines; those over SimGrid are left out where it is not there.
skua_test(simulation_unit_tests LABEL unit
  SOURCES
    unit/costs_test.cpp
    unit/described_machine_test.cpp
    unit/faults_test.cpp
    unit/granule_record_test.cpp
    unit/lower_bound_test.cpp
    unit/replay_test.cpp
    unit/simulated_test.cpp
    unit/summary_test.cpp
    support/simulation_engines.cpp
  LIBRARIES skua::simulation skua::simulation_inside nlohmann_json::nlohmann_json)

skua_test(simulation_tests LABEL simulation
  SOURCES
    simulation/field_report_test.cpp
    simulation/measured_test.cpp
    simulation/random_machine_test.cpp
    simulation/scenario_test.cpp
    simulation/simulation_test.cpp
    support/simulation_engines.cpp
  LIBRARIES skua::simulation skua::simulation_inside nlohmann_json::nlohmann_json)
