// The host's cores as devices.
#pragma once

#include <string>
#include <vector>

#include <skua/backends.hpp>

namespace skua {

/// `argument` is the number of devices; empty: one a NUMA node. There may be more devices than cores.
Devices open_host(const std::string& argument, const Topology& topology, const Clock& clock,
                  const OpenOptions& options = {});

/// All of the host, as where there is no GPU. `note` becomes one of the first device's.
Devices open_host_instead(const std::string& note, const Topology& topology, const Clock& clock);

}  // namespace skua
