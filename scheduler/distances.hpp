// How near the devices of a Scheduler are to one another.
#pragma once

#include <cstdint>
#include <vector>

#include <skua/backends.hpp>
#include <skua/topology.hpp>

namespace skua {

/// For each device, the place of every device in its order of nearness: parts of the same GPU first, then by the graph,
/// then the same NUMA node; equals counted on from the device itself, so that thieves start at different victims.
std::vector<std::vector<std::uint32_t>> device_distances(const Devices& devices, const Topology& topology);

}  // namespace skua
