// Asks librocm_smi64 what the topology is made of.
#pragma once

#include <vendor/rocm_smi_library.hpp>

#include "output.hpp"

namespace skua {

enum class AskLinks { yes, no };

/// Answers the tasks `gpus` and `links`, see protocol.hpp.
void ask_everything(const RocmSmiLibrary& library, AskLinks ask_links, const Output& output);

}  // namespace skua
