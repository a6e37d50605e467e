# install and the exported package: find_package(skua) gives skua::skua.
include(CMakePackageConfigHelpers)

set(skua_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/skua")

install(TARGETS skua_base skua_topology skua_runtime skua_scheduler skua_skua
  EXPORT skua-targets
  FILE_SET HEADERS)
if(TARGET skua_program)
  install(TARGETS skua_program)
endif()
install(TARGETS skua_probe RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/skua")
install(EXPORT skua-targets NAMESPACE skua:: DESTINATION "${skua_package_dir}")

configure_package_config_file(cmake/skua-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/skua-config.cmake"
  INSTALL_DESTINATION "${skua_package_dir}" PATH_VARS CMAKE_INSTALL_LIBEXECDIR)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/skua-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/skua-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/skua-config-version.cmake"
  cmake/FindHwloc.cmake
  cmake/SkuaGpu.cmake
  cmake/SkuaHip.cmake
  cmake/SkuaHipArchitectures.cmake
  cmake/SkuaHostOptions.cmake
  cmake/FindNuma.cmake
  cmake/FindRandom123.cmake
  DESTINATION "${skua_package_dir}")
