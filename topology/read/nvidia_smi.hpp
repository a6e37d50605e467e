// What `nvidia-smi topo -m` printed.
#pragma once

#include <string>

#include <skua/topology.hpp>

namespace skua {

bool is_nvidia_smi(const std::string& content);

/// GPUs in the order of the columns, their CPUs and NUMA nodes, and the relation of each pair. Network cards and
/// legends are passed over. Fails: InputError that names source and line when there is no GPU in it.
Topology read_nvidia_smi(const std::string& content, const std::string& source);

}  // namespace skua
