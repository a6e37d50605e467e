# Tests of topology/, over machines written for them.
add_library(rocm_smi_stub MODULE support/rocm_smi_stub.cpp)
target_compile_features(rocm_smi_stub PRIVATE cxx_std_20)
add_library(rocm_smi_refusing_stub MODULE support/rocm_smi_stub.cpp)
target_compile_features(rocm_smi_refusing_stub PRIVATE cxx_std_20)
target_compile_definitions(rocm_smi_refusing_stub PRIVATE STUB_REFUSES)

add_library(forked_call OBJECT support/forked_call.cpp)
target_link_libraries(forked_call PRIVATE skua_build_options)
target_compile_features(forked_call PRIVATE cxx_std_20)
target_include_directories(forked_call PRIVATE "${PROJECT_SOURCE_DIR}/tests")
set_target_properties(forked_call PROPERTIES CXX_EXTENSIONS OFF)

add_library(kfd_fixture OBJECT support/kfd_fixture.cpp)
target_link_libraries(kfd_fixture PUBLIC skua::topology skua::topology_inside PRIVATE skua_build_options)
target_include_directories(kfd_fixture PRIVATE "${PROJECT_SOURCE_DIR}/tests")
target_compile_definitions(kfd_fixture PRIVATE SKUA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
set_target_properties(kfd_fixture PROPERTIES CXX_EXTENSIONS OFF)

skua_test(topology_tests LABEL unit
  SOURCES
    unit/amd_link_test.cpp
    unit/amd_models_test.cpp
    unit/bare_text_test.cpp
    unit/cpu_mask_test.cpp
    unit/described_test.cpp
    unit/discovery_test.cpp
    unit/doubtful_speeds_test.cpp
    unit/foreign_test.cpp
    unit/gpu_places_test.cpp
    unit/graph_test.cpp
    unit/host_cpus_test.cpp
    unit/line_prefix_test.cpp
    unit/masks_test.cpp
    unit/merge_test.cpp
    unit/pci_address_test.cpp
    unit/pci_locality_test.cpp
    unit/probe_hwloc_test.cpp
    unit/probe_kfd_test.cpp
    unit/probe_nvml_test.cpp
    unit/read_amd_smi_test.cpp
    unit/read_bandwidth_table_test.cpp
    unit/read_machine_json_test.cpp
    unit/read_nvidia_smi_test.cpp
    unit/read_rocm_smi_test.cpp
    unit/render_node_test.cpp
    unit/topology_json_test.cpp
    unit/topology_test.cpp
    unit/vendor_address_test.cpp
    unit/write_dot_test.cpp
    unit/write_text_test.cpp
  LIBRARIES kfd_fixture fmt::fmt nlohmann_json::nlohmann_json)
if(SKUA_HAS_LIBXML2)
  target_sources(topology_tests PRIVATE
    unit/read_hwloc_xml_test.cpp
    unit/read_nccl_xml_test.cpp)
else()
  target_sources(topology_tests PRIVATE unit/xml_document_absent_test.cpp)
endif()
target_compile_definitions(topology_tests PRIVATE
  SKUA_HAS_LIBXML2=$<BOOL:${SKUA_HAS_LIBXML2}>
  SKUA_NVML_STUB="$<TARGET_FILE:nvml_stub>")
add_dependencies(topology_tests nvml_stub)

# By itself, since it watches what this process forks.
skua_test(probe_rocm_smi_tests LABEL unit
  SOURCES unit/probe_program_test.cpp unit/probe_rocm_smi_test.cpp
  LIBRARIES kfd_fixture forked_call fmt::fmt)
target_compile_definitions(probe_rocm_smi_tests PRIVATE
  SKUA_PROBE_BUILT="$<TARGET_FILE:skua_probe>"
  SKUA_ROCM_SMI_STUB="$<TARGET_FILE:rocm_smi_stub>"
  SKUA_ROCM_SMI_REFUSING_STUB="$<TARGET_FILE:rocm_smi_refusing_stub>")
add_dependencies(probe_rocm_smi_tests rocm_smi_stub rocm_smi_refusing_stub)

# Machines that others recorded, and the real librocm_smi64 over described ones: that is not written for sanitizers.
if(NOT SKUA_SANITIZE)
  add_library(machine_tree OBJECT support/machine_tree.cpp)
  target_link_libraries(machine_tree PUBLIC fmt::fmt nlohmann_json::nlohmann_json skua::topology skua::topology_inside PRIVATE skua_build_options)
  target_include_directories(machine_tree PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  set_target_properties(machine_tree PROPERTIES CXX_EXTENSIONS OFF)
  skua_test(topology_recorded_tests LABEL recorded
    SOURCES
      recorded/described_recorded_test.cpp
      recorded/field_inputs_recorded_test.cpp
      recorded/kfd_recorded_test.cpp
      recorded/rocm_smi_recorded_test.cpp
    LIBRARIES machine_tree forked_call kfd_fixture ${CMAKE_DL_LIBS})
  target_compile_definitions(topology_recorded_tests PRIVATE SKUA_HAS_LIBXML2=$<BOOL:${SKUA_HAS_LIBXML2}>)
endif()
