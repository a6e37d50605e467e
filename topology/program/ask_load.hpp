// Asks librocm_smi64 for the load of GPUs.
#pragma once

#include <vendor/rocm_smi_library.hpp>

#include "output.hpp"

namespace skua {

/// Answers the task `load`, see protocol.hpp; returns when the connection is closed.
void ask_load(const RocmSmiLibrary& library, int connection, const Output& output);

}  // namespace skua
