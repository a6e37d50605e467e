// hwloc: packages, NUMA nodes, and GPUs as PCI devices.
#pragma once

#include <optional>
#include <string>

#include "reading.hpp"

namespace skua {

/// Asks hwloc about this machine, or about the one that `xml` (hwloc's own format) describes. hwloc's plug-ins that ask
/// vendor libraries are kept out: those libraries may hang or abort. So is the one for PCI that needs a library and
/// rights of its own: hwloc then reads PCI devices from /sys.
Reading probe_hwloc(const std::optional<std::string>& xml = std::nullopt);

}  // namespace skua
