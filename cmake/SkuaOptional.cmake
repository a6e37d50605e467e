# skua_find_optional(PACKAGE SWITCH): looks for a package as the cache variable SWITCH says: AUTO (where found), ON (must be
# there) or OFF (is not looked for). Sets PACKAGE_FOUND.
macro(skua_find_optional package switch)
  if("${${switch}}" STREQUAL "AUTO")
    find_package(${package} QUIET)
  elseif("${${switch}}" STREQUAL "ON")
    find_package(${package} REQUIRED)
  elseif("${${switch}}" STREQUAL "OFF")
    set(${package}_FOUND FALSE)
  else()
    message(FATAL_ERROR "${switch}=${${switch}}: give AUTO, ON or OFF")
  endif()
endmacro()
