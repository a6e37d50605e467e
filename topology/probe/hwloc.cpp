// Reads packages, NUMA nodes and PCI GPUs through hwloc.
#include "hwloc.hpp"

#include <hwloc.h>

#include <memory>
#include <type_traits>

#include <graph/pci_devices.hpp>

namespace skua {
namespace {

using TopologyHandle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, void (*)(hwloc_topology_t)>;

CpuSet cpus_of(hwloc_const_bitmap_t bitmap) {
  std::vector<unsigned> cpus;
  // A bitmap without end (hwloc's "everything") has no last element to count to.
  if (bitmap == nullptr || hwloc_bitmap_weight(bitmap) < 0) return CpuSet();
  for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu)) {
    cpus.push_back(static_cast<unsigned>(cpu));
  }
  return CpuSet(std::move(cpus));
}

TopologyHandle load(const std::optional<std::string>& xml) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return TopologyHandle(nullptr, hwloc_topology_destroy);
  TopologyHandle topology(raw, hwloc_topology_destroy);
  for (const char* component : {"rsmi", "nvml", "cuda", "opencl", "levelzero", "gl", "pci"}) {
    // An unknown component is not in this hwloc, which is as good.
    (void)hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  const bool is_source_set =
      !xml || hwloc_topology_set_xmlbuffer(raw, xml->c_str(), static_cast<int>(xml->size() + 1)) == 0;
  if (!is_source_set || hwloc_topology_load(raw) != 0) topology.reset();
  return topology;
}

Gpu gpu_from(hwloc_topology_t topology, hwloc_obj_t device) {
  const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci = device->attr->pcidev;
  Gpu gpu;
  gpu.pci = PciAddress{static_cast<std::uint32_t>(pci.domain), pci.bus, pci.dev, pci.func};
  gpu.name = pci_gpu_name(pci.vendor_id, pci.device_id);

  const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, device);
  const hwloc_obj_t root = hwloc_get_root_obj(topology);
  // What hangs at the root is near to everything, which is how hwloc says that it does not know.
  if (near == nullptr || near == root || hwloc_bitmap_isequal(near->cpuset, root->cpuset)) return gpu;
  gpu.cpus = cpus_of(near->cpuset);
  if (hwloc_bitmap_weight(near->nodeset) == 1) {
    gpu.numa_node = NumaId{static_cast<std::uint32_t>(hwloc_bitmap_first(near->nodeset))};
  }
  return gpu;
}

NumaNode numa_node_from(hwloc_topology_t topology, hwloc_obj_t object) {
  NumaNode node;
  node.id = NumaId{object->os_index};
  node.cpus = cpus_of(object->cpuset);
  if (object->attr->numanode.local_memory > 0) node.memory_bytes = object->attr->numanode.local_memory;
  const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
  if (package != nullptr && package->os_index != HWLOC_UNKNOWN_INDEX) node.package = package->os_index;
  return node;
}

}  // namespace

Reading probe_hwloc(const std::optional<std::string>& xml) {
  Reading reading;
  reading.basis = Basis::hwloc;
  reading.unjoined = LinkKind::pcie;
  reading.tells_hives = false;
  const TopologyHandle topology = load(xml);
  if (!topology) {
    reading.notes.push_back("hwloc could not read this machine: NUMA nodes and PCI devices are unknown");
    return reading;
  }
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_NUMANODE, object)) != nullptr) {
    reading.numa_nodes.push_back(numa_node_from(topology.get(), object));
  }
  while ((object = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PCI_DEVICE, object)) != nullptr) {
    const auto& pci = object->attr->pcidev;
    if (is_pci_gpu(pci.vendor_id, pci.class_id)) reading.add(gpu_from(topology.get(), object));
  }
  return reading;
}

}  // namespace skua
