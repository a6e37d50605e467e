// Asks librocm_smi64 what the topology is made of.
#pragma once

#include <cstdint>
#include <set>

#include <vendor/rocm_smi_library.hpp>

#include "output.hpp"

namespace skua {

enum class AskLinks { yes, no };

/// Answers the tasks `gpus` and `links`, see protocol.hpp; of the devices in `without` nothing is asked.
void ask_everything(const RocmSmiLibrary& library, AskLinks ask_links, const std::set<std::uint32_t>& without,
                    const Output& output);

}  // namespace skua
