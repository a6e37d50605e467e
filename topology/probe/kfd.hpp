// The AMD kernel driver's own topology: the first source on AMD machines.
#pragma once

#include <filesystem>
#include <optional>

#include "reading.hpp"

namespace skua {

/// Reads the folder of KFD nodes. GPUs come in node order, which is the order of ROCm's runtime before masks.
/// The NUMA node of a GPU is the number of its CPU node.
/// `devices` is /dev, where the render node of each GPU is opened: one that this process may not open hides the GPU
/// from it. Without, no GPU is hidden. What cannot be read or contradicts itself, and a GPU that the driver did not
/// start, is a note.
Reading probe_kfd(const std::filesystem::path& nodes,
                  const std::optional<std::filesystem::path>& devices = std::nullopt);

}  // namespace skua
