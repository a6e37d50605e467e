// NVIDIA's management library: the types and calls of it that are used.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vendor_library.hpp"

namespace skua {

// As NVML's documentation fixes them: its header comes with CUDA only.
struct NvmlDevice;  ///< the library's own

enum class NvmlStatus : int {
  success = 0,
  no_permission = 4,
  insufficient_size = 7,
  no_driver = 9,
  function_not_found = 13,
  gpu_is_lost = 15
};

struct NvmlPciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct NvmlUtilization {
  unsigned gpu;  ///< Units: percent
  unsigned memory;
};

struct NvmlProcess {
  unsigned id;
  unsigned long long memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct NvmlProcessUtilization {
  unsigned id;
  unsigned long long time_us;
  unsigned multiprocessors;  ///< Units: percent
  unsigned memory;
  unsigned encoder;
  unsigned decoder;
};

/// Threads: any, once it has started.
class NvmlLibrary {
 public:
  /// Returns nullopt when the library is not there.
  static std::optional<NvmlLibrary> open(const std::string& name = default_name);
  static constexpr const char* default_name = "libnvidia-ml.so.1";

  /// Blocks: while the driver wakes up. Whoever has started it shuts it down.
  NvmlStatus start() const { return call("nvmlInit_v2"); }
  void shut_down() const { call("nvmlShutdown"); }

  /// Those that this process may open and that have not fallen off the bus; nullopt when they cannot be counted.
  std::optional<std::vector<NvmlDevice*>> devices() const;
  std::optional<NvmlPciInfo> pci_info(NvmlDevice* device) const {
    return answer<NvmlPciInfo>("nvmlDeviceGetPciInfo_v3", device);
  }

  /// function_not_found also where the library is too old to have it.
  template <class... Parameters>
  NvmlStatus call(const char* function, Parameters... parameters) const {
    return library_.call(NvmlStatus::function_not_found, function, parameters...);
  }

  /// What a function writes to the place that is its last parameter.
  /// Returns nullopt when it does not succeed.
  template <class Value, class... Parameters>
  std::optional<Value> answer(const char* function, Parameters... parameters) const {
    Value value{};
    if (call(function, parameters..., &value) != NvmlStatus::success) return std::nullopt;
    return value;
  }

 private:
  explicit NvmlLibrary(VendorLibrary library) : library_(std::move(library)) {}
  VendorLibrary library_;
};

}  // namespace skua
