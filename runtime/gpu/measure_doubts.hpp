// What of measured links is hardly the speed of a link.
#pragma once

#include <vector>

#include "measure.hpp"

namespace skua {

/// Adds to the notes of links whose speeds are doubtful: a GPU's that repeat the host's, directions of which one is ten
/// times the other, links far below the host.
void note_doubtful(std::vector<MeasuredLink>& links, const Topology& topology);

}  // namespace skua
