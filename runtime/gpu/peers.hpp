// GPUs that reach one another's memory.
#pragma once

#include <string>
#include <vector>

namespace skua {

/// Lets every GPU of the list reach the memory of every other that the runtime says it can reach. Access that somebody
/// has enabled already stays as it is, and nothing is disabled at the end. On a thread of skua's own.
/// Returns sentences about pairs for which it could not be enabled.
std::vector<std::string> enable_peers(const std::vector<int>& ordinals);

}  // namespace skua
