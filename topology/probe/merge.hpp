// Many readings of one machine become one Topology.
#pragma once

#include <vector>

#include "reading.hpp"

namespace skua {

/// Readings in the order in which they are believed. GPUs are joined by address and partition; of two statements of
/// one fact the earlier source's is kept, and a note names both. The GPUs of the first reading that has any keep its
/// order and come first.
struct Merged {
  Topology topology;
  std::vector<std::optional<std::string>> uuids;  ///< of each GPU
};
Merged merge(const std::vector<Reading>& readings);

}  // namespace skua
