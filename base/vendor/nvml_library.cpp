// Opens NVML and lists its devices.
#include "nvml_library.hpp"

namespace skua {

std::optional<NvmlLibrary> NvmlLibrary::open(const std::string& name) {
  auto library = VendorLibrary::open({name});
  if (!library) return std::nullopt;
  return NvmlLibrary(*std::move(library));
}

std::optional<std::vector<NvmlDevice*>> NvmlLibrary::devices() const {
  const auto count = answer<unsigned>("nvmlDeviceGetCount_v2");
  if (!count) return std::nullopt;
  std::vector<NvmlDevice*> devices;
  for (unsigned index = 0; index < *count; ++index) {
    const auto device = answer<NvmlDevice*>("nvmlDeviceGetHandleByIndex_v2", index);
    if (device) devices.push_back(*device);
  }
  return devices;
}

}  // namespace skua
