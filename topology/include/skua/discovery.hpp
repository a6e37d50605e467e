// Finding out what machine this is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <skua/topology.hpp>

namespace skua {

/// Which source may be asked. automatic: all that are there, in the fixed order kfd, rocm_smi, nvml, hwloc, merged.
enum class Source { automatic, kfd, rocm_smi, nvml, hwloc };

struct DiscoveryOptions {
  Source source = Source::automatic;
  std::optional<std::filesystem::path> file{};  ///< a described machine stands in for this one
  /// A KFD tree (its nodes folder, or a folder above) stands in for /sys.
  std::optional<std::filesystem::path> sysfs{};
};

/// Reads the machine, or the described one. SKUA_TOPOLOGY is the file when no option names one.
/// Threads: any. Blocks: for the readings, at most 2 s.
/// Fails: InputError for a file that cannot be read; what is missing on the machine itself is a note.
Topology discover(const DiscoveryOptions& options = {});

/// The CPUs that this process may use: affinity mask, cpuset and quota of the cgroup.
HostCpus discover_host_cpus();

}  // namespace skua
