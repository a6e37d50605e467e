// A recorded run as a scenario: what would other policies have made of it?
#pragma once

#include <string>

#include <skua/scenario.hpp>

namespace skua {

/// Reads a trace that skua wrote (--trace, SKUA_TRACE). Each device runs at the mean rate of its own chunks; an item
/// costs what its chunk took on its device, against the mean. Where chunks do not say which items they ran, they are
/// taken to follow one another in the order of time. A trace that was cut off, since its process was killed, is read up
/// to there, with a note. Fails: InputError that names the file, and what is wrong with it.
Scenario read_recorded_run(const std::string& path);

}  // namespace skua
