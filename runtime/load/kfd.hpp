// AMD's driver as a sensor: files below /sys.
#pragma once

#include <filesystem>
#include <memory>

#include "sensor.hpp"

namespace skua {

struct KfdSensorOptions {
  std::filesystem::path sys = "/sys";
  std::filesystem::path process = "/proc/self";
};

/// Occupancy by process and the busy percentage. Returns nullptr when the driver shows no GPU.
std::unique_ptr<Sensor> open_kfd_sensor(const KfdSensorOptions& options = {});

}  // namespace skua
