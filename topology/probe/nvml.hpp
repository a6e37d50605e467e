// NVIDIA's management library: the source on NVIDIA machines.
#pragma once

#include <string>

#include <vendor/nvml_library.hpp>
#include "nvml_facts.hpp"
#include "reading.hpp"

namespace skua {

/// GPUs in NVML's order, which is that of PCI addresses.
/// Without the library the reading is empty.
Reading probe_nvml(const std::string& library = NvmlLibrary::default_name);

/// GPUs and links from NVML's answers.
Reading nvml_reading_from(const NvmlFacts& facts);

}  // namespace skua
