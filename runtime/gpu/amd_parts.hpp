// How the compute units of an AMD GPU are dealt to its parts.
#pragma once

#include <cstdint>
#include <vector>

#include "list.hpp"
#include "parts.hpp"

namespace skua {

/// The hardware deals a kernel's workgroups to all XCDs, whatever the mask of its stream: one on which a part has no
/// unit never runs its workgroups, and the kernel never ends. Within an XCD they are dealt to the shader engines
/// evenly, so that a part goes at the pace of the engine on which it has the fewest units. Bit i of a mask is a unit of
/// XCD i % xcds, and of the shader engine i / xcds % engines of that XCD. So parts are runs of bits, cut where every
/// XCD and, where that leaves parts enough, every shader engine has had a unit of each.
GpuGrain amd_grain(const RuntimeGpu& gpu);

/// The bits [first, first + count) of `compute_units`, in words of 32.
std::vector<std::uint32_t> compute_unit_mask(std::uint32_t first, std::uint32_t count, std::uint32_t compute_units);

}  // namespace skua
