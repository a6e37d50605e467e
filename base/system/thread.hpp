// Threads of the operating system: named, pinned, and what they cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <skua/detail/cpu_set.hpp>

namespace skua {

/// Gives the calling thread a name that debuggers and `top` show; at most 15 bytes of it are kept.
void name_this_thread(const std::string& name) noexcept;

/// Where a thread that should run on `near` may run.
struct Binding {
  CpuSet cpus;                      ///< near and allowed; all allowed ones when no CPU is both; empty: do not bind
  std::optional<std::string> note;  ///< why it is not as near as wished
};
Binding choose_binding(const CpuSet& near, const std::optional<CpuSet>& allowed);

/// Binds the calling thread, by hwloc.
/// Returns nullopt on success, and else a sentence that says why the thread was left unbound.
std::optional<std::string> bind_this_thread(const CpuSet& cpus);

/// CPU time that the calling thread has used.  Units: nanoseconds.
std::int64_t this_thread_cpu_ns() noexcept;

/// Tells the processor that the calling thread spins.
void spin_pause() noexcept;

}  // namespace skua
