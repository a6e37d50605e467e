// Which bits of an AMD compute-unit mask make up a part of a GPU.
#pragma once

#include <cstdint>
#include <vector>

namespace skua {

/// The bits of compute units [first, first + count) of `compute_units`, in words of 32.
/// With several XCDs the driver deals the bits of a mask out to them in turns: bit i is a unit of XCD i % xcds. Units
/// are therefore counted XCD by XCD here, and a part of whole XCDs shares none of them with another.
std::vector<std::uint32_t> compute_unit_mask(std::uint32_t first, std::uint32_t count, std::uint32_t compute_units,
                                             std::uint32_t xcds);

}  // namespace skua
