// This process, as the drivers of the kernel know it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace skua {

/// The number under which drivers list this process. `process` is its folder in /proc.
/// Returns nullopt inside a container with PIDs of its own: drivers list the host's, which may even name somebody else.
std::optional<std::uint32_t> host_process_id(const std::filesystem::path& process = "/proc/self");

}  // namespace skua
