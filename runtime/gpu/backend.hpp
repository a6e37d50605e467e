// GPUs as devices, by HIP or CUDA.
#pragma once

#include <string>

#include <skua/backends.hpp>

namespace skua {

/// `argument` says which GPUs, see parts.hpp; "local": those of this process among its node's ranks, see
/// local_rank.hpp; empty: all that work. Of all a GPU that does not run anything is left out, and a note of the first
/// device says why.
/// Fails: InputError when a GPU that was named does not work, or none is left.
Devices open_gpus(const std::string& argument, const Topology& topology, const Clock& clock,
                  const OpenOptions& options = {});

}  // namespace skua
