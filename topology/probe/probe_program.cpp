// Finds the program from where this code itself was loaded.
#include "probe_program.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <system_error>

/// Defined in programs that include skua's headers and use its installed package, see detail/installed_probe.hpp.
extern "C" __attribute__((weak)) const char* skua_installed_probe();

namespace skua {
namespace {

namespace fs = std::filesystem;

bool is_runnable(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

/// The files that this code may lie in: the library, where it is one, and the program.
std::vector<fs::path> images() {
  std::vector<fs::path> found;
  Dl_info info = {};
  // Of a program dladdr() knows the name only by which it was called.
  if (dladdr(reinterpret_cast<const void*>(&find_probe_program), &info) != 0 && info.dli_fname != nullptr) {
    if (const fs::path library = info.dli_fname; library.is_absolute()) found.push_back(library);
  }
  std::error_code error;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error) found.push_back(program);
  return found;
}

}  // namespace

std::vector<fs::path> probe_places_beside(const fs::path& image) {
  std::error_code error;
  const fs::path real = fs::canonical(image, error);
  const fs::path folder = (error ? image : real).parent_path();
  return {(folder / SKUA_PROBE_FROM_LIB).lexically_normal(), (folder / SKUA_PROBE_FROM_BIN).lexically_normal()};
}

std::optional<fs::path> find_probe_program() {
  std::vector<fs::path> places;
  for (const fs::path& image : images()) {
    for (fs::path& place : probe_places_beside(image)) places.push_back(std::move(place));
  }
  if (skua_installed_probe != nullptr) places.emplace_back(skua_installed_probe());
  places.emplace_back(SKUA_PROBE_INSTALLED);
  for (fs::path& place : places) {
    if (is_runnable(place)) return std::move(place);
  }
  return std::nullopt;
}

std::string why_probe_is_useless(const std::optional<fs::path>& program, const std::string& failure) {
  if (!program) return "skua's program libexec/skua/probe is not there";
  if (!failure.empty()) return program->string() + " does not start: " + failure;
  return program->string() + " does not run here, or is another skua's";
}

}  // namespace skua
