// AMD's management library: a second opinion on AMD machines.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <vendor/rocm_smi_library.hpp>
#include "reading.hpp"

namespace skua {

struct RocmSmiOptions {
  /// Tried in this order; a name without a slash is looked for where the system looks for libraries.
  std::vector<std::string> libraries = rocm_smi_names();
  std::chrono::milliseconds deadline{1500};  ///< for everything together
  std::filesystem::path sys = "/sys";        ///< looked at beforehand for what makes the library abort
  std::filesystem::path maps = "/proc/self/maps";
  std::filesystem::path program;  ///< that asks it; empty: find_probe_program()
};

/// Asks the library by way of skua's program libexec/skua/probe, which is killed at the deadline: the library aborts on
/// some machines and waits for locks of dead processes on others. Where the program dies of a question about one device
/// it is asked again without that one. A note tells when it died otherwise, which leaves what it said before, was
/// killed, which leaves nothing, or is not there. It is not asked where there is no graphics device of AMD, or when
/// this process has loaded a management library of AMD itself: two do not mix. Blocks: until the deadline at most.
Reading probe_rocm_smi(const RocmSmiOptions& options = {});

/// What the program's output says. For tests: speeds and weights are as the library gives them.
Reading rocm_smi_reading_from(const std::string& output);

}  // namespace skua
