// The AMD kernel driver's own topology: the first source on AMD machines.
#pragma once

#include <filesystem>

#include "reading.hpp"

namespace skua {

/// Reads the folder of KFD nodes. GPUs come in node order, which is the order of ROCm's runtime before masks.
/// The NUMA node of a GPU is the number of its CPU node.
/// What cannot be read or contradicts itself is a note.
Reading probe_kfd(const std::filesystem::path& nodes);

}  // namespace skua
