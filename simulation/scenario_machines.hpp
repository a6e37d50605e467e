// The machines of the named scenarios.
#pragma once

#include <cstdint>

#include <skua/simulated.hpp>

namespace skua {

/// A million items a second each, 12 us a launch.
SimulatedMachine equal_machine(std::size_t count, std::uint64_t seed, double jitter);
/// Eight GPUs in two hives of XGMI, PCIe between.
Topology two_hives();
/// Four packages of two halves, as MI250X in Frontier's nodes.
Topology frontier_node();
/// Each device is the GPU of the same number.
void join(SimulatedMachine& machine, Topology topology);

}  // namespace skua
