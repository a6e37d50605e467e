// SimGrid's one engine of the process, and what of it is shared by all Simulations.
#pragma once

#include <cstddef>

#include <simgrid/s4u.hpp>

namespace skua {

/// Most links of one Simulation.
inline constexpr std::size_t simgrid_links_max = 4'096;

/// Made at the first call; silent, and never unmade.
simgrid::s4u::Engine& simgrid_engine();
/// Where all actors live.
simgrid::s4u::Host* simgrid_home();
/// A resource that does one second's work a second, shared evenly by all that use it at a time.
simgrid::s4u::Host* simgrid_resource(std::size_t index);

}  // namespace skua
