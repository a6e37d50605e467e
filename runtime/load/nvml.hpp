// NVIDIA's management library as a sensor.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sensor.hpp"

namespace skua {

struct NvmlSensorOptions {
  std::string library = "libnvidia-ml.so.1";
  std::filesystem::path process = "/proc/self";
};

/// Busy parts, of the GPU and by process, and the presence of other processes; NVML does not tell occupancy.
/// Fails: nothing when the library, its driver or a GPU is not there.
std::unique_ptr<Sensor> open_nvml_sensor(const NvmlSensorOptions& options = {});

}  // namespace skua
