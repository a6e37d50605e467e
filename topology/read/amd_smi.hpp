// What `amd-smi topology` printed.
#pragma once

#include <string>

#include <skua/topology.hpp>

namespace skua {

bool is_amd_smi(const std::string& content);

/// GPUs in the order of the tables' columns, and links by the tables of weights, types and speeds that are there.
/// Tables of other facts are passed over.
/// Fails: InputError that names source and line when there is no GPU in it.
Topology read_amd_smi(const std::string& content, const std::string& source);

}  // namespace skua
