// Reads hwloc's tree of objects, and its matrices of link speeds.
#include "hwloc_xml.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <skua/input.hpp>

#include <graph/cpu_mask.hpp>
#include <graph/graph.hpp>
#include <graph/pci_devices.hpp>
#include <graph/switched_links.hpp>
#include "hwloc_matrix.hpp"
#include "pasted_text.hpp"
#include "stated_links.hpp"

namespace skua {
namespace {

constexpr std::uint64_t class_other_bridge = 0x0680;

/// What an object stands in.
struct Surroundings {
  const XmlElement* package = nullptr;
  const XmlElement* near = nullptr;  ///< the nearest object that has CPUs
  std::optional<std::size_t> gpu;    ///< of which the object is a part
  std::vector<const XmlElement*> bridges;
};

struct ListedGpu {
  Gpu gpu;
  std::vector<const XmlElement*> bridges;
  std::optional<std::uint32_t> number;  ///< NVML's or rocm_smi's
  std::uint64_t hive = 0;               ///< 0: none is told
  std::uint64_t vendor = 0;             ///< 0: unknown
  std::size_t line = 0;
};

struct PciType {
  std::uint64_t device_class = 0;
  std::uint64_t vendor = 0;
  std::uint64_t device = 0;
};

/// "0302 [10de:1db8] [10de:131d] a1": class, vendor and device; then those of the card, and the revision.
std::optional<PciType> pci_type_from(std::string_view text) {
  const auto hexadecimal = [&](std::size_t at) {
    return text.size() < at + 4 ? std::nullopt : xml_number(fmt::format("0x{}", text.substr(at, 4)));
  };
  const auto device_class = hexadecimal(0);
  const auto vendor = hexadecimal(6);
  const auto device = hexadecimal(11);
  if (!device_class || !vendor || !device || text[5] != '[' || text[10] != ':') return std::nullopt;
  return PciType{*device_class, *vendor, *device};
}

std::optional<std::uint32_t> number_after(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? small_number(name.substr(prefix.size())) : std::nullopt;
}

/// Of an operating system's device that is a GPU, the number by which its vendor's library knows it.
std::optional<std::uint32_t> driver_number(const XmlElement& object) {
  if (object.attribute("type") != "OSDev") return std::nullopt;
  const auto name = object.attribute("name").value_or("");
  const auto number = number_after(name, "nvml");
  return number ? number : number_after(name, "rsmi");
}

class HwlocReader {
 public:
  explicit HwlocReader(const std::string& source) : notes_(source) {}
  Topology read(const XmlElement& topology);

 private:
  void walk(const XmlElement& object, Surroundings around);
  void enter(const XmlElement& object, Surroundings& around);
  void add_numa_node(const XmlElement& object, const Surroundings& around);
  void add_pci_device(const XmlElement& object, Surroundings& around);
  std::size_t add_gpu(const XmlElement& object, const Surroundings& around);
  void add_os_device(const XmlElement& object, Surroundings& around);
  void take_fact(const XmlElement& info, ListedGpu& listed);
  void place(Gpu& gpu, const Surroundings& around) const;
  void hide_gpus_not_started();
  void order_gpus();
  void number_hives();
  void read_matrices(const XmlElement& topology);
  void read_matrix(const HwlocMatrix& matrix);
  void add_link(const HwlocMatrix& matrix, std::uint32_t from, std::uint32_t to, std::uint64_t value);
  void add_links_over_switches(std::size_t line);
  void locate_pairs();

  TextNotes notes_;
  const XmlElement* root_ = nullptr;
  std::map<NumaId, NumaNode> numa_nodes_;
  std::deque<ListedGpu> listed_;
  std::map<std::uint64_t, std::size_t> gpu_of_object_;  ///< by gp_index; before they are ordered
  std::map<std::uint64_t, std::string> switches_;       ///< by gp_index
  std::set<PciAddress> addresses_;
  std::vector<std::uint32_t> place_of_;  ///< of each listed GPU in the topology
  std::size_t unknown_hops_line_ = 0;    ///< of the first matrix that joins a pair without telling its hops
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined_;
  StatedLinks links_;
  SwitchedLinks switched_;
  Topology topology_;
};

void HwlocReader::add_numa_node(const XmlElement& object, const Surroundings& around) {
  const auto id = object.number("os_index");
  if (!id || *id > std::numeric_limits<std::int32_t>::max())
    return notes_.add(object.line, "a NUMA node has no number");
  NumaNode node;
  node.id = NumaId{static_cast<std::uint32_t>(*id)};
  node.cpus = cpus_from_mask(object.attribute("cpuset").value_or("")).value_or(CpuSet());
  if (object.number("local_memory").value_or(0) > 0) node.memory_bytes = object.number("local_memory");
  const auto package = around.package == nullptr ? std::nullopt : around.package->number("os_index");
  if (package && *package <= std::numeric_limits<std::uint32_t>::max()) {
    node.package = static_cast<std::uint32_t>(*package);
  }
  if (!numa_nodes_.emplace(node.id, node).second) {
    notes_.add(object.line, "a NUMA node is there twice; the first counts", fmt::format("{}", node.id.index));
  }
}

/// What hangs at the root is near to everything, which is how hwloc says that it does not know.
void HwlocReader::place(Gpu& gpu, const Surroundings& around) const {
  if (around.near == nullptr) return;
  const auto nodes = cpus_from_mask(around.near->attribute("nodeset").value_or(""));
  if (nodes && nodes->size() == 1) gpu.numa_node = NumaId{nodes->cpus().front()};
  if (around.near == root_ && !gpu.numa_node) return;
  gpu.cpus = cpus_from_mask(around.near->attribute("cpuset").value_or(""));
  if (gpu.cpus && gpu.cpus->empty()) gpu.cpus.reset();
}

std::size_t HwlocReader::add_gpu(const XmlElement& object, const Surroundings& around) {
  if (listed_.size() == gpu_count_max) {
    throw InputError(fmt::format("{}:{}: more than {} GPUs", notes_.source(), object.line, gpu_count_max));
  }
  ListedGpu listed;
  listed.gpu.basis = Basis::file;
  listed.bridges = around.bridges;
  listed.line = object.line;
  place(listed.gpu, around);
  listed_.push_back(std::move(listed));
  return listed_.size() - 1;
}

void HwlocReader::add_pci_device(const XmlElement& object, Surroundings& around) {
  const auto address = object.attribute("pci_busid").value_or("");
  const auto type = pci_type_from(object.attribute("pci_type").value_or("")).value_or(PciType());
  const auto pci = PciAddress::from_text(address);
  const auto gp_index = object.number("gp_index");
  // A device that does not answer has a type of zeros, and may still be known to its driver.
  const bool is_switch = object.attribute("subtype") == "NVSwitch" ||
                         (type.vendor == pci_vendor_nvidia && type.device_class == class_other_bridge);
  if (is_switch && gp_index) switches_.emplace(*gp_index, fmt::format("{} {}", *gp_index, address));
  const bool is_gpu = is_pci_gpu(type.vendor, type.device_class) ||
                      std::any_of(object.children.begin(), object.children.end(),
                                  [](const XmlElement& child) { return driver_number(child).has_value(); });
  if (!is_gpu) return;
  if (!pci) notes_.add(object.line, "a GPU has no PCI address", shown(address));
  around.gpu = add_gpu(object, around);
  listed_[*around.gpu].vendor = type.vendor;
  Gpu& gpu = listed_[*around.gpu].gpu;
  gpu.pci = pci;
  gpu.name = pci_gpu_name(type.vendor, type.device);
  if (pci && !addresses_.insert(*pci).second) notes_.add(object.line, "two GPUs have one address", shown(address));
  if (gp_index) gpu_of_object_.emplace(*gp_index, *around.gpu);
}

void HwlocReader::take_fact(const XmlElement& info, ListedGpu& listed) {
  constexpr std::uint64_t kib_max = std::uint64_t{1} << 40;
  constexpr std::uint64_t units_max = 1 << 20;
  const auto name = info.attribute("name").value_or("");
  const auto value = info.attribute("value").value_or("");
  const auto number = xml_number(value);
  if (name == "GPUModel" && !value.empty()) {
    listed.gpu.name = std::string(value.substr(0, 100));
  } else if (name == "CUDAMultiProcessors" && number && *number > 0 && *number < units_max) {
    listed.gpu.compute_units = static_cast<std::uint32_t>(*number);
  } else if ((name == "CUDAGlobalMemorySize" || name == "RSMIVRAMSize") && number && *number > 0 && *number < kib_max) {
    listed.gpu.memory_bytes = *number << 10;
  } else if (name == "XGMIHiveID") {
    listed.hive = number.value_or(xml_number(fmt::format("0x{}", value)).value_or(0));
  }
}

/// A GPU is an operating system's device too, once for each library that knows it.
void HwlocReader::add_os_device(const XmlElement& object, Surroundings& around) {
  const auto number = driver_number(object);
  // Without its PCI device, such as in files that leave these out, the library's own is the GPU.
  if (!around.gpu && number) {
    around.gpu = add_gpu(object, around);
    listed_[*around.gpu].gpu.name = std::string(object.attribute("name").value_or(""));
  }
  if (!around.gpu) return;
  ListedGpu& listed = listed_[*around.gpu];
  if (number && !listed.number) listed.number = number;
  if (const auto gp_index = object.number("gp_index")) gpu_of_object_.emplace(*gp_index, *around.gpu);
  for (const XmlElement& info : object.children) {
    if (info.name == "info") take_fact(info, listed);
  }
}

void HwlocReader::enter(const XmlElement& object, Surroundings& around) {
  const auto type = object.attribute("type").value_or("");
  if (object.attribute("cpuset")) around.near = &object;
  if (type == "NUMANode") {
    add_numa_node(object, around);
  } else if (type == "Package" || type == "Socket") {
    around.package = &object;
  } else if (type == "Bridge") {
    around.bridges.push_back(&object);
  } else if (type == "PCIDev") {
    add_pci_device(object, around);
  } else if (type == "OSDev") {
    add_os_device(object, around);
  }
}

void HwlocReader::walk(const XmlElement& object, Surroundings around) {
  enter(object, around);
  for (const XmlElement& child : object.children) {
    if (child.name == "object") walk(child, around);
  }
}

/// What its vendor's library left out, though it was asked and knows others.
void HwlocReader::hide_gpus_not_started() {
  for (ListedGpu& listed : listed_) {
    const auto is_known = [&](const ListedGpu& other) { return other.number && other.vendor == listed.vendor; };
    if (listed.number || !std::any_of(listed_.begin(), listed_.end(), is_known)) continue;
    listed.gpu.hidden_by = "no compute driver";
    notes_.add(listed.line, "a GPU is not known to its vendor's library; the driver did not start it",
               listed.gpu.pci ? listed.gpu.pci->to_text() : listed.gpu.name);
  }
}

void HwlocReader::order_gpus() {
  std::vector<std::uint32_t> order(listed_.size());
  for (std::uint32_t index = 0; index < order.size(); ++index) order[index] = index;
  // One library numbers GPUs of one vendor; those of the other have the same numbers.
  const auto rank = [&](std::uint32_t index) {
    return listed_[index].number.value_or(std::numeric_limits<std::uint32_t>::max());
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rank(a) < rank(b); });
  place_of_.resize(order.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) place_of_[order[place]] = place;
  std::deque<ListedGpu> ordered;
  for (const std::uint32_t index : order) ordered.push_back(std::move(listed_[index]));
  listed_ = std::move(ordered);
}

void HwlocReader::number_hives() {
  std::map<std::uint64_t, std::uint32_t> numbers;
  for (std::size_t place = 0; place < listed_.size(); ++place) {
    const std::uint64_t hive = listed_[place].hive;
    if (hive == 0) continue;
    topology_.gpus[place].hive = numbers.emplace(hive, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  if (numbers.empty()) number_hives_by_links(topology_);
}

void HwlocReader::add_link(const HwlocMatrix& matrix, std::uint32_t from, std::uint32_t to, std::uint64_t value) {
  const bool are_hops = matrix.name == "XGMIHops";
  const bool is_xgmi = matrix.name != "NVLinkBandwidth";
  const bool is_constant = is_xgmi && !matrix.tells_pairs_apart;
  const bool is_new = joined_.emplace(from, to).second;
  if (!is_new && (are_hops || is_constant)) return;
  Link link;
  link.from = GpuId{from};
  link.to = GpuId{to};
  link.kind = is_xgmi ? LinkKind::xgmi : LinkKind::nvlink;
  link.basis = Basis::file;
  const bool is_speed = !are_hops && !is_constant;
  if (is_speed) link.hops = hops_of_joined_pair;
  if (is_speed) link.bandwidth_gb_per_s = static_cast<double>(value) / 1000;
  if (are_hops && !is_constant) link.hops = static_cast<std::uint32_t>(value);
  if (!link.hops && unknown_hops_line_ == 0) unknown_hops_line_ = matrix.line;
  links_.add(link, matrix.line);
}

void HwlocReader::read_matrix(const HwlocMatrix& matrix) {
  constexpr std::uint64_t mb_per_s_max = 10'000'000;
  const auto gpu_of = [&](std::size_t place) {
    const auto found = gpu_of_object_.find(matrix.objects[place]);
    return found == gpu_of_object_.end() ? std::nullopt : std::optional(place_of_[found->second]);
  };
  for (std::size_t from = 0; from < matrix.objects.size(); ++from) {
    const auto from_gpu = gpu_of(from);
    for (std::size_t to = 0; from_gpu && to < matrix.objects.size(); ++to) {
      const std::uint64_t value = matrix.value(from, to);
      if (from == to || value == 0) continue;
      if (value > mb_per_s_max) {
        notes_.add(matrix.line, "a speed that no link has was left out", fmt::format("{}", value));
        continue;
      }
      const auto to_gpu = gpu_of(to);
      const auto switch_name = switches_.find(matrix.objects[to]);
      if (!to_gpu && switch_name != switches_.end()) {
        switched_.add(*from_gpu, switch_name->second, static_cast<std::uint32_t>(value));
      }
      if (to_gpu && to_gpu != from_gpu) add_link(matrix, *from_gpu, *to_gpu, value);
    }
  }
}

/// Of two matrices that name a pair the first counts: speeds come before hops, which are constants as a rule.
void HwlocReader::read_matrices(const XmlElement& topology) {
  std::vector<HwlocMatrix> matrices;
  for (const char* name : {"NVLinkBandwidth", "XGMIBandwidth", "XGMIHops"}) {
    for (const XmlElement& child : topology.children) {
      if (!child.name.starts_with("distances2") || child.attribute("name") != name) continue;
      if (auto matrix = hwloc_matrix_from(child, notes_)) matrices.push_back(std::move(*matrix));
    }
  }
  const auto tells = [](const HwlocMatrix& matrix) { return matrix.name[0] == 'X' && matrix.tells_pairs_apart; };
  // Where one tells pairs apart, what it says comes before a constant.
  std::stable_partition(matrices.begin(), matrices.end(), tells);
  for (const HwlocMatrix& matrix : matrices) read_matrix(matrix);
  if (unknown_hops_line_ == 0 || std::any_of(matrices.begin(), matrices.end(), tells)) return;
  notes_.add(unknown_hops_line_,
             "the matrices of XGMI have one value for all pairs, a constant of hwloc or rocm_smi; hops and speeds of "
             "these pairs stay unknown");
}

void HwlocReader::add_links_over_switches(std::size_t line) {
  for (const SwitchedLinks::Pair& pair : switched_.pairs()) {
    Link link;
    link.from = GpuId{pair.from};
    link.to = GpuId{pair.to};
    link.kind = LinkKind::nvlink;
    link.hops = hops_of_joined_pair;
    link.bandwidth_gb_per_s = static_cast<double>(pair.width.value_or(0)) / 1000;
    link.basis = Basis::file;
    links_.add(link, line);
  }
}

void HwlocReader::locate_pairs() {
  for (Link& link : topology_.links) {
    if (link.kind != LinkKind::pcie) continue;
    const auto& from = listed_[link.from.index].bridges;
    const auto& to = listed_[link.to.index].bridges;
    if (from.empty() || to.empty() || from.front() != to.front()) continue;
    const bool share_more = from.size() > 1 && to.size() > 1 && from[1] == to[1];
    link.locality = share_more ? Locality::switch_ : Locality::bridge;
  }
}

Topology HwlocReader::read(const XmlElement& topology) {
  for (const XmlElement& child : topology.children) {
    if (child.name != "object") continue;
    root_ = &child;
    walk(child, Surroundings());
  }
  hide_gpus_not_started();
  order_gpus();
  for (const ListedGpu& listed : listed_) topology_.gpus.push_back(listed.gpu);
  for (const auto& [id, node] : numa_nodes_) topology_.numa_nodes.push_back(node);
  read_matrices(topology);
  add_links_over_switches(topology.line);
  complete_links(topology_, links_.take(topology_, notes_), LinkKind::pcie, Basis::file);
  locate_pairs();
  number_hives();
  notes_.append_to(topology_.notes);
  return std::move(topology_);
}

}  // namespace

Topology read_hwloc_xml(const XmlElement& topology, const std::string& source) {
  return HwlocReader(source).read(topology);
}

}  // namespace skua
