// The driver's files first.
#include "amd.hpp"

#include <algorithm>
#include <utility>

namespace skua {
namespace {

/// The percentage is about a GPU as a whole, and so is the library's.
bool lacks_busy(const GpuSample& sample) {
  return !sample.gpu.partition && !sample.load.busy;
}

}  // namespace

Sensors open_amd_sensors(const KfdSensorOptions& kfd, const RocmSmiSensorOptions& rocm_smi) {
  Sensors sensors;
  auto files = open_kfd_sensor(kfd);
  if (!files) return sensors;
  const SensorAnswer answer = files->sample();
  sensors.push_back(std::move(files));
  if (std::any_of(answer.samples.begin(), answer.samples.end(), lacks_busy)) {
    if (auto library = open_rocm_smi_sensor(rocm_smi)) sensors.push_back(std::move(library));
  }
  return sensors;
}

}  // namespace skua
