// Launches that find no code for their GPU: which GPUs there is code for, and which one this is.
#pragma once

#include <string>
#include <string_view>

#include "call.hpp"

namespace skua {

/// Whether a launch failed because the kernel's code was not compiled for the current GPU's architecture.
bool is_without_code(hipError_t error) noexcept;

/// "gfx942:sramecc+:xnack-", "sm_90"; empty where the runtime does not tell.
std::string gpu_architecture(int ordinal);

/// "built for gfx906 gfx90a; this GPU is gfx942: ..." for people; `built_for` is GpuCode::built_for.
std::string built_for_and_found(std::string_view built_for, const std::string& architecture);

/// Whether a launch may find code: to try where there is none ends the process in old versions of HIP. `built_for` is
/// GpuCode::built_for, empty where it is not known.
bool may_have_code(std::string_view built_for, const std::string& architecture);

/// What a launch on this GPU has left as the runtime's last error.
/// Fails: GpuError when it is one, with what the code was built for when the GPU found none for itself.
void require_launched(hipError_t error, std::string_view built_for, int ordinal);

}  // namespace skua
