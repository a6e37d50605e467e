// What `rocm-smi --showtopo` printed.
#pragma once

#include <string>

#include <skua/topology.hpp>

namespace skua {

/// Whether the text is from rocm-smi, of whatever command.
bool is_rocm_smi_text(const std::string& content);

/// GPUs in the order of their numbers, NUMA nodes, and links by the tables of weights, types and speeds that are there.
/// Bus addresses and architectures too, where other output of rocm-smi stands beside the tables.
/// Fails: InputError that names source and line when there is no GPU in it.
Topology read_rocm_smi_text(const std::string& content, const std::string& source);

}  // namespace skua
