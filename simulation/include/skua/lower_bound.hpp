// The least time in which a simulated machine could do a loop.
#pragma once

#include <cstdint>

#include <skua/costs.hpp>
#include <skua/simulated.hpp>

namespace skua {

/// The fluid bound: the least T at which the devices, at the rates that they really have from begin_s on, have done all
/// the work; and never less than the costliest granule on the fastest device. What fetching bytes and launches cost is
/// not in it. A device that fails or hangs at some launch counts for nothing.
double lower_bound_s(const SimulatedMachine& machine, const Costs& costs, std::uint64_t granule_items,
                     double begin_s = 0);

}  // namespace skua
