// Descriptions of machines, whatever program wrote them.
#pragma once

#include <string>

#include <skua/topology.hpp>

namespace skua {

/// Reads skua's own JSON, machine descriptions, topology XML of NCCL, RCCL and hwloc, and what nvidia-smi, rocm-smi,
/// amd-smi and rocm-bandwidth-test print, also out of a terminal or a log. The content tells which of them it is. Every
/// pair of GPUs gets a link.
/// `source` names the content in errors and notes (a file name, say).
/// Fails: InputError that names the source, and the line where one is at fault; for what is none of these it says which
/// there are, and what it is where it is known.
Topology read_described(const std::string& content, const std::string& source);

}  // namespace skua
