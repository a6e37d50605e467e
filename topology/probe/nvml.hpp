// NVIDIA's management library: the source on NVIDIA machines.
#pragma once

#include <string>

#include "nvml_calls.hpp"
#include "reading.hpp"

namespace skua {

/// GPUs in NVML's order, which is that of PCI addresses.
/// Fails: nothing; without the library the reading is empty.
Reading probe_nvml(const std::string& library = "libnvidia-ml.so.1");

/// GPUs and links from NVML's answers.
Reading nvml_reading_from(const NvmlFacts& facts);

}  // namespace skua
