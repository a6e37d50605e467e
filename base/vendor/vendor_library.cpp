// Opens libraries, and looks for loaded ones.
#include "vendor_library.hpp"

#include <fstream>

namespace skua {

std::optional<VendorLibrary> VendorLibrary::open(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return VendorLibrary(handle, name);
  }
  return std::nullopt;
}

std::optional<std::string> loaded_library(const std::filesystem::path& maps, std::initializer_list<const char*> names) {
  std::ifstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    for (const char* name : names) {
      if (line.find(name) != std::string::npos) return name;
    }
  }
  return std::nullopt;
}

}  // namespace skua
