// What `rocm-bandwidth-test` printed.
#pragma once

#include <string>

#include <skua/topology.hpp>

namespace skua {

bool is_rocm_bandwidth_test(const std::string& content);

/// GPUs in the order of the device list, which CPUs precede. Kinds and hops by the distances, speeds as measured in one
/// direction unless they are doubtful; the nearest CPU, when there is one, stands for the NUMA node.
/// Fails: InputError that names source and line when there is no GPU in it.
Topology read_bandwidth_table(const std::string& content, const std::string& source);

}  // namespace skua
