// Opens and starts librocm_smi64. Its header is not there on most build machines; what is called has been so since
// ROCm 4.
#include "rocm_smi_library.hpp"

#include <cstdlib>

namespace skua {

std::vector<std::string> rocm_smi_names() {
  std::vector<std::string> names = {"librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5",
                                    "librocm_smi64.so.1", "/opt/rocm/lib/librocm_smi64.so"};
  const char* rocm = std::getenv("ROCM_PATH");
  if (rocm != nullptr && *rocm != '\0') names.insert(names.begin(), std::string(rocm) + "/lib/librocm_smi64.so");
  return names;
}

std::optional<std::string> loaded_amd_library(const std::filesystem::path& maps) {
  return loaded_library(maps, {"libamd_smi", "librocm_smi64"});
}

std::optional<RocmSmiLibrary> RocmSmiLibrary::open(const std::vector<std::string>& names) {
  auto library = VendorLibrary::open(names);
  if (!library) return std::nullopt;
  return RocmSmiLibrary(*std::move(library));
}

RocmSmiStatus RocmSmiLibrary::start() const {
  // Locks against threads only. Versions that do not know the flag ignore it.
  constexpr std::uint64_t thread_only_lock = 0x400000000000000;
  return call("rsmi_init", thread_only_lock);
}

std::optional<std::uint32_t> RocmSmiLibrary::device_count() const {
  return answer<std::uint32_t>("rsmi_num_monitor_devices");
}

}  // namespace skua
