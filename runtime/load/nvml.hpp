// NVIDIA's management library as a sensor.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <vendor/nvml_library.hpp>
#include "sensor.hpp"

namespace skua {

struct NvmlSensorOptions {
  std::string library = NvmlLibrary::default_name;
  std::filesystem::path process = "/proc/self";
};

/// Busy parts, of the GPU and by process, and the presence of other processes; NVML does not tell occupancy.
/// Returns nullptr when the library, its driver or a GPU is not there.
std::unique_ptr<Sensor> open_nvml_sensor(const NvmlSensorOptions& options = {});

}  // namespace skua
