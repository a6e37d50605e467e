// Sets of CPUs and NUMA nodes as hexadecimal masks, the form of XML files.
#pragma once

#include <optional>
#include <string_view>

#include <skua/detail/cpu_set.hpp>

namespace skua {

/// Words of 32 bits, the highest first: "ffff0000,00000000", "0x00000003", "0xff,,0x1". A word may lack leading zeros;
/// an empty one is 0. Returns nullopt for anything else, endless masks ("0xf...f"), and CPUs above 65,535.
std::optional<CpuSet> cpus_from_mask(std::string_view mask);

}  // namespace skua
