// Where the program libexec/skua/probe is installed, as the package for CMake tells the programs that use it: libraries
// that lie inside of a program cannot know that.
#pragma once

#ifdef SKUA_PROBE_PROGRAM
extern "C" __attribute__((used)) inline const char* skua_installed_probe() {
  return SKUA_PROBE_PROGRAM;
}
#endif
