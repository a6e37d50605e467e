// Memory that the host writes before a Job, and that every device of the Job can read.
#pragma once

#include <cstddef>
#include <memory>

#include <skua/scheduler.hpp>

namespace monte_carlo {

/// Owns: until the last copy is gone, which may not be before the Job.
/// Fails: std::runtime_error where GPUs' page-locked memory is not to be had.
std::shared_ptr<void> readable_memory(const skua::Scheduler& scheduler, std::size_t bytes);

}  // namespace monte_carlo
