// The thread that drives one device.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "crew_state.hpp"

namespace skua {

/// Makes the thread of a device; it blocks the signals of the program, which are for the program's own threads.
/// Fails: std::system_error when the system gives no thread.
std::thread start_device_thread(const std::shared_ptr<CrewState>& state, std::uint32_t index);

}  // namespace skua
