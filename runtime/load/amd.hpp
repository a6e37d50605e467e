// Which of AMD's sources are asked.
#pragma once

#include "kfd.hpp"
#include "rocm_smi.hpp"
#include "sampler.hpp"

namespace skua {

/// The driver's files and, only where these have no busy percentage of a whole GPU, the management library: of what the
/// files lack it knows no more than that percentage, for which it reads one of them.
/// Blocks: while the driver's files are read.
Sensors open_amd_sensors(const KfdSensorOptions& kfd = {}, const RocmSmiSensorOptions& rocm_smi = {});

}  // namespace skua
