// From the text of --devices to open devices; and how to add a backend.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <skua/clock.hpp>
#include <skua/device.hpp>
#include <skua/topology.hpp>

namespace skua {

using Devices = std::vector<std::unique_ptr<Device>>;

/// What else a backend is told about how to open its devices.
struct OpenOptions {
  bool peers = true;  ///< GPUs that are opened together are to reach one another's memory
  /// Threads that drive devices beside the host's: bodies on the host leave them their cores, where there are enough.
  std::uint32_t driving_threads = 0;
};

/// Opens devices from what stands behind the backend's name and a colon ("4" of "host:4"; empty when there is no
/// colon). Fails: InputError that names the text.
using OpenBackend = std::function<Devices(const std::string& argument, const Topology& topology, const Clock& clock,
                                          const OpenOptions& options)>;

/// Opens what `spec` names: one or more of "host:4" and the like, joined by ';', or "auto" (all GPUs, else the host).
/// A backend that is named several times is asked once, where it is named first, with its arguments joined by commas.
/// Fails: InputError that names the part at fault, and the backends that exist.
Devices open_devices(const std::string& spec, const Topology& topology, const Clock& clock,
                     const OpenOptions& options = {});

/// Adds a backend under a new name. Threads: any.
/// Fails: InputError when the name is taken.
void register_backend(const std::string& name, OpenBackend open);

std::vector<std::string> backend_names();

}  // namespace skua
