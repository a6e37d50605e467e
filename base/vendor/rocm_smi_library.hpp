// AMD's management library: the calls of it that are used. It aborts on some machines and waits for locks of dead
// processes on others, so that only the program libexec/skua/probe calls it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vendor_library.hpp"

namespace skua {

/// Its status codes, of which only success is told apart.
enum class RocmSmiStatus : std::uint32_t { success = 0, function_not_found = ~std::uint32_t{0} };

/// The names under which it is installed: that of the ROCm that $ROCM_PATH names, where it names one, then the newest
/// first.
std::vector<std::string> rocm_smi_names();

/// The management library of AMD that a process has loaded, by its list of loaded files: two do not mix.
/// Returns nullopt when there is none.
std::optional<std::string> loaded_amd_library(const std::filesystem::path& maps);

/// Threads: one at a time.
class RocmSmiLibrary {
 public:
  /// Opens the first of `names` that is there.
  /// Returns nullopt when none is.
  static std::optional<RocmSmiLibrary> open(const std::vector<std::string>& names);

  const std::string& name() const noexcept { return library_.name(); }

  /// It is not shut down again: that has locks of its own, and the process that asks ends anyway.
  RocmSmiStatus start() const;
  /// Returns nullopt when the library refuses.
  std::optional<std::uint32_t> device_count() const;

  template <class... Parameters>
  RocmSmiStatus call(const char* function, Parameters... parameters) const {
    return library_.call(RocmSmiStatus::function_not_found, function, parameters...);
  }

  /// What a function writes to the place that is its last parameter.
  /// Returns nullopt when it does not succeed.
  template <class Value, class... Parameters>
  std::optional<Value> answer(const char* function, Parameters... parameters) const {
    Value value{};
    if (call(function, parameters..., &value) != RocmSmiStatus::success) return std::nullopt;
    return value;
  }

 private:
  explicit RocmSmiLibrary(VendorLibrary library) : library_(std::move(library)) {}
  VendorLibrary library_;
};

}  // namespace skua
