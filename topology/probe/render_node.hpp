// The device file by which a process uses one GPU of AMD's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace skua {

/// Opens dri/renderDMINOR in `devices`, which is /dev, and closes it again: containers and batch systems keep files
/// away by groups, by rules that only opening meets, or by not making them, and ROCm's runtime leaves out a GPU whose
/// file it cannot open. Returns nullopt when it opens, or when that it does not says nothing of the GPU; else "FILE:
/// WHY".
std::optional<std::string> why_closed(const std::filesystem::path& devices, std::uint64_t minor);

}  // namespace skua
