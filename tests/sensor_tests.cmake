# Tests of the sensors of GPU load, over trees and libraries written for them.
foreach(stub nvml_load_stub rocm_smi_load_stub)
  add_library(${stub} MODULE support/${stub}.cpp)
  target_compile_features(${stub} PRIVATE cxx_std_20)
endforeach()

skua_test(sensor_tests LABEL unit
  SOURCES
    unit/load_amd_test.cpp
    unit/sampler_test.cpp
    unit/load_kfd_test.cpp
    unit/load_nvml_test.cpp
    unit/load_rocm_smi_test.cpp
  LIBRARIES skua::runtime skua::runtime_inside)
target_compile_definitions(sensor_tests PRIVATE
  SKUA_NVML_LOAD_STUB="$<TARGET_FILE:nvml_load_stub>"
  SKUA_ROCM_SMI_LOAD_STUB="$<TARGET_FILE:rocm_smi_load_stub>")
add_dependencies(sensor_tests nvml_load_stub rocm_smi_load_stub)

# The real librocm_smi64 over a described machine.
if(NOT SKUA_SANITIZE)
  skua_test(sensor_recorded_tests LABEL recorded
    SOURCES recorded/load_rocm_smi_recorded_test.cpp
    LIBRARIES machine_tree forked_call skua::runtime skua::runtime_inside ${CMAKE_DL_LIBS})
endif()
