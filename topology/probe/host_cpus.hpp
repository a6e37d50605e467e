// Reads which CPUs this process may use.
#pragma once

#include <filesystem>
#include <optional>

#include <skua/topology.hpp>

namespace skua {

/// What the control groups under `root` (which holds proc/ and sys/) leave of `affinity`. Versions 1 and 2, and both
/// at once; the tightest limit on the way from the process's group to the root group counts.
HostCpus read_host_cpus(const std::filesystem::path& root, std::optional<CpuSet> affinity);

}  // namespace skua
