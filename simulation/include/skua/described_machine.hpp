// Machines to simulate, from files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <skua/simulated.hpp>

namespace skua {

/// Items that a compute unit does in a second, where a machine file does not say.
inline constexpr double items_per_second_of_compute_unit = 1e4;

/// Reads a machine: either any description of a topology that skua reads, whose GPUs then have rates by their compute
/// units; or schema skua.machine/1, which adds to such a file what its devices are like (docs/simulation.md).
/// `gpus`: only the first so many.
/// Fails: InputError that names file and line, or the field at fault.
SimulatedMachine read_simulated_machine(const std::string& path, std::optional<std::uint32_t> gpus);

}  // namespace skua
