// Reads the tree of CPUs, PCI devices and GPUs, and each GPU's list of links.
#include "nccl_xml.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <skua/input.hpp>

#include <graph/cpu_mask.hpp>
#include <graph/graph.hpp>
#include <graph/names.hpp>
#include <graph/partitions.hpp>
#include <graph/pci_devices.hpp>
#include <graph/switched_links.hpp>
#include "pasted_text.hpp"
#include "stated_links.hpp"

namespace skua {
namespace {

constexpr std::uint64_t class_nvswitch = 0x068000;
constexpr std::uint64_t class_cpu_with_nvlink = 0x068001;

/// What an element stands in.
struct Surroundings {
  std::optional<NumaId> numa_node;
  const CpuSet* cpus = nullptr;
  std::vector<const XmlElement*> pci;  ///< from the outermost down to the device itself
};

struct ListedGpu {
  Gpu gpu;
  const XmlElement* element = nullptr;  ///< the gpu itself, or its PCI device where files have no gpu elements
  const XmlElement* device = nullptr;   ///< the PCI device around it
  std::string address;                  ///< as links name it
  std::vector<const XmlElement*> switches;
  std::optional<std::uint32_t> device_number;
  bool is_amd = false;
  std::map<std::string, std::optional<std::uint32_t>> links_to_switches;  ///< how many, by target
};

/// Files write an address as the vendor's library did, with more or fewer digits and in either case.
std::string address_key(std::string_view text) {
  if (const auto address = PciAddress::from_text(text)) return address->to_text();
  std::string key(text);
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
  return key;
}

/// "gfx90a:sramecc+:xnack-"; or as a number: 906, and 910, whose last place is hexadecimal a. The numbers 940 and 941
/// are those of gfx942 before it had its name.
std::string arch_from_gcn(std::string_view gcn) {
  const auto number = small_number(gcn);
  if (!number) return std::string(gcn.substr(0, std::min<std::size_t>(gcn.find(':'), 32)));
  if (*number == 910) return "gfx90a";
  return fmt::format("gfx{}", *number == 940 || *number == 941 ? 942 : *number);
}

/// In files without gpu elements a GPU is what has a GPU's class; these often tell no vendor.
bool has_gpu_class(const XmlElement& device) {
  constexpr std::uint64_t vga = 0x0300;
  constexpr std::uint64_t accelerator_3d = 0x0302;
  const auto device_class = device.number("class");
  if (!device_class) return false;
  const std::uint64_t kind = *device_class >> 8;
  const std::uint64_t vendor = device.number("vendor").value_or(0);
  return vendor != 0 ? is_pci_gpu(vendor, kind) : kind == vga || kind == accelerator_3d;
}

/// Of a switch that NVML could not name the target is "fffffff:ffff:ff".
bool is_address(const std::string& target) {
  return PciAddress::from_text(target).has_value();
}

class NcclReader {
 public:
  explicit NcclReader(const std::string& source) : notes_(source) {}
  Topology read(const XmlElement& system);

 private:
  bool is_on_first_host(const XmlElement& cpu);
  void walk(const XmlElement& element, const Surroundings& around);
  void walk_into(const XmlElement& element, const Surroundings& around);
  Surroundings enter_cpu(const XmlElement& cpu);
  void add_gpu(const XmlElement& element, const Surroundings& around);
  void add_gpus_by_class();
  void note_missing_links();
  void name_gpu(ListedGpu& listed, const XmlElement* device) const;
  void number_parts_of_devices();
  void order_gpus();
  void index_addresses();
  void read_links(std::uint32_t from);
  void read_link(std::uint32_t from, const XmlElement& element);
  void add_link(std::uint32_t from, std::uint32_t to, LinkKind kind, std::optional<std::uint32_t> count,
                std::size_t line);
  bool leads_to_switch(const XmlElement& element, const std::string& target);
  void add_links_over_switches();
  void locate_pairs();
  std::optional<std::uint32_t> number(const XmlElement& element, const char* name, std::uint32_t number_max);

  TextNotes notes_;
  std::optional<std::string> host_;
  std::vector<ListedGpu> listed_;
  std::map<std::string, std::uint32_t, std::less<>> gpu_at_;
  std::map<std::string, std::uint64_t, std::less<>> class_of_;  ///< of all PCI devices that say theirs
  std::vector<std::pair<const XmlElement*, Surroundings>> of_gpu_class_;
  std::deque<CpuSet> cpu_sets_;
  std::map<NumaId, NumaNode> numa_nodes_;
  SwitchedLinks switched_;
  StatedLinks links_;
  Topology topology_;
};

/// -1 is how these files say that they do not know.
std::optional<std::uint32_t> NcclReader::number(const XmlElement& element, const char* name, std::uint32_t number_max) {
  const auto text = element.attribute(name);
  if (!text || text->empty() || *text == "-1") return std::nullopt;
  const auto value = xml_number(*text);
  if (value && *value <= number_max) return static_cast<std::uint32_t>(*value);
  notes_.add(element.line, fmt::format("{} is no number from 0 to {}", name, number_max), shown(*text));
  return std::nullopt;
}

bool NcclReader::is_on_first_host(const XmlElement& cpu) {
  const auto host = cpu.attribute("host_hash");
  if (!host) return true;
  if (!host_) host_ = std::string(*host);
  if (*host_ == *host) return true;
  notes_.add(cpu.line, "a second host, which is left out: a topology is one machine's", shown(*host));
  return false;
}

Surroundings NcclReader::enter_cpu(const XmlElement& cpu) {
  constexpr std::uint32_t node_max = 1 << 16;
  Surroundings around;
  if (const auto node = number(cpu, "numaid", node_max)) around.numa_node = NumaId{*node};
  const auto mask = cpu.attribute("affinity").value_or("");
  auto cpus = cpus_from_mask(mask);
  // In files written by hand it can be a list.
  constexpr std::size_t cpus_max = 1 << 16;
  if (!cpus && mask.find('-') != std::string_view::npos) cpus = CpuSet::from_list(mask);
  const std::size_t count = cpus ? cpus->size() : 0;
  if ((!cpus || count > cpus_max) && !mask.empty()) notes_.add(cpu.line, "affinity is no mask of CPUs", shown(mask));
  if (count > 0 && count <= cpus_max) around.cpus = &cpu_sets_.emplace_back(std::move(*cpus));
  if (!around.numa_node) return around;
  NumaNode node;
  node.id = *around.numa_node;
  if (around.cpus != nullptr) node.cpus = *around.cpus;
  if (numa_nodes_.emplace(node.id, node).second) return around;
  notes_.add(cpu.line, "a NUMA node is there twice; its CPUs are those of the first", fmt::format("{}", node.id.index));
  return around;
}

void NcclReader::walk(const XmlElement& element, const Surroundings& around) {
  if (element.name == "gpu") return add_gpu(element, around);
  if (element.name == "cpu") {
    if (is_on_first_host(element)) walk_into(element, enter_cpu(element));
  } else if (element.name == "pci") {
    const auto device_class = element.number("class");
    if (device_class) class_of_.emplace(address_key(element.attribute("busid").value_or("")), *device_class);
    Surroundings inside = around;
    inside.pci.push_back(&element);
    const bool is_gpu = has_gpu_class(element);
    if (is_gpu && of_gpu_class_.size() <= gpu_count_max) of_gpu_class_.emplace_back(&element, inside);
    walk_into(element, inside);
  } else {
    walk_into(element, around);
  }
}

void NcclReader::walk_into(const XmlElement& element, const Surroundings& around) {
  for (const XmlElement& child : element.children) walk(child, around);
}

void NcclReader::name_gpu(ListedGpu& listed, const XmlElement* device) const {
  const auto vendor = device == nullptr ? std::nullopt : device->number("vendor");
  const auto model = device == nullptr ? std::nullopt : device->number("device");
  if (vendor == pci_vendor_amd) listed.is_amd = true;
  if (vendor && model) listed.gpu.name = pci_gpu_name(*vendor, *model);
}

void NcclReader::add_gpu(const XmlElement& element, const Surroundings& around) {
  if (listed_.size() == gpu_count_max) {
    throw InputError(fmt::format("{}:{}: more than {} GPUs", notes_.source(), element.line, gpu_count_max));
  }
  constexpr std::uint32_t units_max = 1 << 20;
  ListedGpu listed;
  listed.element = &element;
  Gpu& gpu = listed.gpu;
  gpu.basis = Basis::file;
  gpu.numa_node = around.numa_node;
  if (around.cpus != nullptr) gpu.cpus = *around.cpus;
  const XmlElement* device = around.pci.empty() ? nullptr : around.pci.back();
  listed.device = device;
  const auto gcn = element.attribute("gcn");
  listed.is_amd = gcn && !gcn->empty();
  if (listed.is_amd) gpu.arch = arch_from_gcn(*gcn);
  if (device != nullptr) {
    listed.switches.assign(around.pci.begin(), around.pci.end() - 1);
    const auto address = device->attribute("busid").value_or("");
    listed.address = address_key(address);
    gpu.pci = PciAddress::from_text(address);
    if (!gpu.pci) notes_.add(device->line, "busid is no PCI address", shown(address));
  }
  name_gpu(listed, device);
  // AMD's multiprocessors are counted here, of NVIDIA's the compute capability is told.
  const auto sm = number(element, "sm", units_max);
  if (listed.is_amd && sm.value_or(0) > 0) gpu.compute_units = sm;
  if (!listed.is_amd && sm.value_or(0) > 0) gpu.arch = fmt::format("sm_{}", *sm);
  if (gpu.name.empty()) gpu.name = gpu.arch.value_or("");
  listed.device_number = number(element, "dev", std::numeric_limits<std::uint32_t>::max() - 1);
  listed_.push_back(std::move(listed));
}

/// Clouds give their users the tree of the host only, in which NCCL finds the GPUs by itself.
void NcclReader::add_gpus_by_class() {
  if (!listed_.empty() || of_gpu_class_.empty()) return;
  for (const auto& [device, around] : of_gpu_class_) add_gpu(*device, around);
  notes_.add(of_gpu_class_.front().first->line,
             "there is no gpu in it: PCI devices of a GPU's class are taken for GPUs, and of links between them it "
             "tells nothing");
}

/// Several GPUs in one PCI device are its partitions, and have one dev number.
void NcclReader::number_parts_of_devices() {
  constexpr std::uint32_t part_max = 1 << 16;
  std::map<const XmlElement*, std::uint32_t> parts;
  for (const ListedGpu& listed : listed_) ++parts[listed.device];
  std::map<const XmlElement*, std::uint32_t> numbered;
  for (ListedGpu& listed : listed_) {
    if (listed.device == nullptr || parts[listed.device] < 2) continue;
    const std::uint32_t place = numbered[listed.device]++;
    listed.gpu.partition = number(*listed.element, "mlopart", part_max).value_or(place);
  }
}

/// NCCL itself writes down the links of its GPUs, and the vendors of devices; who writes by hand leaves out both.
void NcclReader::note_missing_links() {
  const auto is_bare = [](const ListedGpu& listed) {
    const bool is_nvidia = listed.gpu.arch && listed.gpu.arch->starts_with("sm_");
    const bool tells_vendor = listed.device != nullptr && listed.device->number("vendor").value_or(0) != 0;
    return is_nvidia && !tells_vendor && listed.element->children.empty();
  };
  if (listed_.size() < 2 || !std::all_of(listed_.begin(), listed_.end(), is_bare)) return;
  notes_.add(listed_.front().element->line, "of links between GPUs the file tells nothing; NVLink may join them");
}

void NcclReader::order_gpus() {
  // GPUs that took no part in the run that wrote the file have no number.
  const auto place = [](const ListedGpu& listed) {
    return std::pair(listed.device_number.value_or(std::numeric_limits<std::uint32_t>::max()),
                     listed.gpu.partition.value_or(0));
  };
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const ListedGpu& listed : listed_) {
    if (!listed.device_number || places.insert(place(listed)).second) continue;
    return notes_.add(listed.element->line, "two GPUs have one dev number; GPUs are in the order of the file");
  }
  std::stable_sort(listed_.begin(), listed_.end(),
                   [&](const ListedGpu& a, const ListedGpu& b) { return place(a) < place(b); });
}

void NcclReader::index_addresses() {
  for (std::uint32_t index = 0; index < listed_.size(); ++index) {
    const ListedGpu& listed = listed_[index];
    if (listed.address.empty()) continue;
    const auto [at, is_new] = gpu_at_.emplace(listed.address, index);
    if (is_new || listed_[at->second].device == listed.device) continue;
    notes_.add(listed.element->line, "two GPUs have one address; links to it are links to the first of them",
               shown(listed.address));
  }
}

bool NcclReader::leads_to_switch(const XmlElement& element, const std::string& target) {
  auto device_class = element.number("tclass");
  const auto known = class_of_.find(target);
  if (!device_class && known != class_of_.end()) device_class = known->second;
  return device_class == class_nvswitch;
}

void NcclReader::add_link(std::uint32_t from, std::uint32_t to, LinkKind kind, std::optional<std::uint32_t> count,
                          std::size_t line) {
  const bool in_package = are_in_one_package(topology_.gpus[from], topology_.gpus[to]);
  Link link;
  link.from = GpuId{from};
  link.to = GpuId{to};
  link.kind = in_package ? LinkKind::package : kind;
  if (!in_package) link.count = count;
  link.hops = hops_of_joined_pair;
  link.basis = Basis::file;
  links_.add(link, line);
}

void NcclReader::read_link(std::uint32_t from, const XmlElement& element) {
  constexpr std::uint32_t count_max = 1024;
  const auto text = element.attribute("target").value_or("");
  const std::string target = address_key(text);
  const auto count = number(element, "count", count_max);
  if (count == 0u) return notes_.add(element.line, "a link with a count of 0 is none", shown(text));
  const auto found = gpu_at_.find(target);
  if (found == gpu_at_.end() && leads_to_switch(element, target)) {
    constexpr std::size_t switches_max = 64;
    auto& targets = listed_[from].links_to_switches;
    const bool is_new = targets.size() < switches_max && targets.emplace(target, count).second;
    if (!is_new) notes_.add(element.line, "a link to a switch is there twice; the first counts", shown(text));
    return;
  }
  if (found == gpu_at_.end()) {
    if (element.number("tclass") == class_cpu_with_nvlink) return;
    return notes_.add(element.line, "a link leads to what is no GPU of this file", shown(text));
  }
  if (found->second == from) return notes_.add(element.line, "a link leads from a GPU to itself", shown(text));
  const LinkKind kind = element.name == "xgmi" || listed_[from].is_amd ? LinkKind::xgmi : LinkKind::nvlink;
  add_link(from, found->second, kind, count, element.line);
}

void NcclReader::read_links(std::uint32_t from) {
  for (const XmlElement& child : listed_[from].element->children) {
    if (child.name == "xgmi" || child.name == "nvlink") read_link(from, child);
  }
}

/// All NVSwitches are one, as NCCL has it: what leads to one of them reaches all GPUs at any.
void NcclReader::add_links_over_switches() {
  const ListedGpu* unnamed = nullptr;
  bool is_any_named = false;
  for (std::uint32_t index = 0; index < listed_.size(); ++index) {
    const ListedGpu& listed = listed_[index];
    std::optional<std::uint32_t> width = 0;
    for (const auto& [target, count] : listed.links_to_switches) {
      width = width && count ? std::optional(*width + *count) : std::nullopt;
      is_any_named = is_any_named || is_address(target);
      if (!is_address(target) && unnamed == nullptr) unnamed = &listed;
    }
    if (!listed.links_to_switches.empty()) switched_.add(index, "NVSwitch", width);
  }
  if (unnamed != nullptr && is_any_named) {
    notes_.add(unnamed->element->line,
               "links lead to an NVSwitch that has no address; it is taken for the one of the other GPUs",
               describe(topology_, GpuId{static_cast<std::uint32_t>(unnamed - listed_.data())}));
  }
  for (const SwitchedLinks::Pair& pair : switched_.pairs()) {
    add_link(pair.from, pair.to, LinkKind::nvlink, pair.width, listed_[pair.from].element->line);
  }
}

void NcclReader::locate_pairs() {
  for (Link& link : topology_.links) {
    if (link.kind != LinkKind::pcie) continue;
    const auto& from = listed_[link.from.index].switches;
    const auto& to = listed_[link.to.index].switches;
    if (!from.empty() && !to.empty() && from.front() == to.front()) link.locality = Locality::switch_;
  }
}

Topology NcclReader::read(const XmlElement& system) {
  walk(system, Surroundings());
  add_gpus_by_class();
  if (listed_.empty()) {
    throw InputError(
        fmt::format("{}:{}: there is no gpu in it, and no pci of a GPU's class", notes_.source(), system.line));
  }
  note_missing_links();
  number_parts_of_devices();
  order_gpus();
  index_addresses();
  for (const ListedGpu& listed : listed_) topology_.gpus.push_back(listed.gpu);
  number_partitions(topology_.gpus);
  for (const auto& [id, node] : numa_nodes_) topology_.numa_nodes.push_back(node);
  for (std::uint32_t from = 0; from < listed_.size(); ++from) read_links(from);
  add_links_over_switches();
  complete_links(topology_, links_.take(topology_, notes_), LinkKind::pcie, Basis::file);
  locate_pairs();
  number_hives_by_links(topology_);
  notes_.append_to(topology_.notes);
  return std::move(topology_);
}

}  // namespace

Topology read_nccl_xml(const XmlElement& system, const std::string& source) {
  return NcclReader(source).read(system);
}

}  // namespace skua
