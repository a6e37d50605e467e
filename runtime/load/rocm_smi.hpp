// AMD's management library as a sensor.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <vendor/rocm_smi_library.hpp>
#include "sensor.hpp"

namespace skua {

struct RocmSmiSensorOptions {
  /// Tried in this order; a name without a slash is looked for where the system looks for libraries.
  std::vector<std::string> libraries = rocm_smi_names();
  std::chrono::milliseconds deadline{1500};  ///< for one answer; the first includes the library's start
  std::chrono::milliseconds patience{10};    ///< how long one sample() waits for it
  std::filesystem::path sys = "/sys";
  std::filesystem::path maps = "/proc/self/maps";
  std::filesystem::path program;  ///< that asks the library; empty: find_probe_program()
};

/// The busy percentage. (Of occupancy the library knows, in version 5.2.3, only the sum over all GPUs of a process.)
/// It is asked by skua's program libexec/skua/probe, which ends with its first failure or late answer.
/// Returns nullptr where there are no graphics devices, or when this process has loaded a management library of AMD
/// itself: two do not mix.
std::unique_ptr<Sensor> open_rocm_smi_sensor(const RocmSmiSensorOptions& options = {});

}  // namespace skua
