// Machine descriptions, from which tests make trees of files that a driver would show.
#pragma once

#include <string>

#include <skua/topology.hpp>

namespace skua {

/// Whether a JSON text is such a description, and not skua's own form.
bool is_machine(const std::string& content);

/// GPUs in the order of the list, which is that of the driver; their hives; links with what the driver would say of
/// them: hops by weight, counts and speeds of direct ones. CPU nodes are NUMA nodes, whose CPUs are not told.
/// Fails: InputError that names source, line and field.
Topology read_machine(const std::string& content, const std::string& source);

}  // namespace skua
