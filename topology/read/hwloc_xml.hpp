// The XML files of hwloc's lstopo.
#pragma once

#include <string>

#include <skua/topology.hpp>

#include <xml/xml_document.hpp>

namespace skua {

/// GPUs in the order in which NVML or rocm_smi numbered them, or else in that of the PCI tree; NUMA nodes; direct links
/// from the matrices NVLinkBandwidth and XGMIBandwidth; over PCIe, which pairs share a switch or a host bridge. Links
/// of two GPUs to one NVSwitch are a direct link between them. Matrices XGMIBandwidth and XGMIHops that have one value
/// for all pairs only tell that XGMI joins these: the numbers are constants of hwloc and of rocm_smi.
/// A GPU that its vendor's library does not know, while it knows others, is hidden: the driver did not start it.
/// The file is not given to hwloc, which refuses those of versions later than its own. A file without GPUs is read too.
/// Fails: InputError that names source and line for more GPUs than any node has.
Topology read_hwloc_xml(const XmlElement& topology, const std::string& source);

}  // namespace skua
