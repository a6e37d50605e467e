// A vendor's library, opened when the program runs: it need not be there when skua is built, nor afterwards.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace skua {

/// It stays open to the end of the process: such libraries start threads and do not bear being unloaded.
/// Threads: as the library's.
class VendorLibrary {
 public:
  /// Opens the first of `names` that is there, with symbols of its own. A name without a slash is looked for where the
  /// system looks for libraries.
  /// Returns nullopt when none is there.
  static std::optional<VendorLibrary> open(const std::vector<std::string>& names);

  const std::string& name() const noexcept { return name_; }

  /// Calls the function of that name as one that takes exactly these types; `absent` when the library has none.
  template <class Status, class... Parameters>
  Status call(Status absent, const char* function, Parameters... parameters) const {
    const auto address = reinterpret_cast<Status (*)(Parameters...)>(dlsym(handle_, function));
    return address == nullptr ? absent : address(parameters...);
  }

 private:
  VendorLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}

  void* handle_;
  std::string name_;
};

/// The first of `names` that stands in `maps`, a list of what a process has loaded such as /proc/self/maps.
/// Returns nullopt when none does, and when there is no such list.
std::optional<std::string> loaded_library(const std::filesystem::path& maps, std::initializer_list<const char*> names);

}  // namespace skua
