// The topology files of NCCL and RCCL.
#pragma once

#include <string>

#include <skua/topology.hpp>

#include <xml/xml_document.hpp>

namespace skua {

/// GPUs in the order of their `dev` numbers, or in the file's where these do not tell them apart; direct links with
/// their counts; NUMA nodes with their CPUs; over PCIe, which pairs share a switch. Two GPUs with links to NVSwitches,
/// whichever they are, are joined directly. In a file without gpu elements the GPUs are the PCI devices of a GPU's
/// class. Of several hosts in one file the first is read. Fails: InputError that names source and line when there is no
/// GPU in it, or more than any node has.
Topology read_nccl_xml(const XmlElement& system, const std::string& source);

}  // namespace skua
