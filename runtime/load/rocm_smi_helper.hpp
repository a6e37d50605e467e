// The helper process that asks librocm_smi64 for load, and the lines in which the answers travel.
#pragma once

#include <string>
#include <vector>

namespace skua {

/// Loads the first library of `names` that is there and then answers every byte that comes over `connection` by lines:
///   failed TEXT           the library said no; nothing follows
///   gpu BDFID BUSY        one for each GPU, "?" for an answer that the library refuses
///   end
/// Runs in the helper process only; returns when the connection is closed.
void tell_rocm_smi_load(const std::vector<std::string>& names, int connection);

}  // namespace skua
