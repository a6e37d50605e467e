// Turns KFD nodes and links into GPUs and links.
#include "kfd.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <graph/amd_link.hpp>
#include <graph/amd_models.hpp>
#include <graph/partitions.hpp>
#include "kfd_address.hpp"
#include "kfd_tree.hpp"

namespace skua {
namespace {

constexpr std::uint64_t type_pcie = 2;
constexpr std::uint64_t type_xgmi = 11;

/// "gfx90a" from 90010.
std::optional<std::string> arch_from(std::optional<std::uint64_t> version) {
  if (!version || *version == 0 || *version > 999'999) return std::nullopt;
  return fmt::format("gfx{}{:x}{:x}", *version / 10'000, *version / 100 % 100, *version % 100);
}

class KfdProbe {
 public:
  explicit KfdProbe(KfdTree tree) : tree_(std::move(tree)) {}
  Reading read();

 private:
  void add_gpus();
  Gpu gpu_from(const KfdNode& node, const KfdAddress& address) const;
  std::optional<std::uint32_t> cpu_node_of(const KfdNode& node) const;
  void number_hives();
  void add_links(std::uint32_t from);
  std::optional<Link> link_from(std::uint32_t from, const KfdLink& source) const;
  Link xgmi_link_from(std::uint32_t from, std::uint32_t to, const KfdProperties& properties) const;
  void note_one_way_links();

  const KfdNode& node_of(std::uint32_t gpu) const { return *gpu_nodes_[gpu]; }
  static bool is_gpu(const KfdNode& node) { return property(node.properties, "simd_count").value_or(0) > 0; }

  KfdTree tree_;
  std::vector<const KfdNode*> gpu_nodes_;
  std::map<std::uint32_t, std::uint32_t> gpu_at_node_;
  std::set<std::uint32_t> cpu_nodes_;
  Reading reading_;
};

std::optional<std::uint32_t> KfdProbe::cpu_node_of(const KfdNode& node) const {
  if (cpu_nodes_.contains(node.number)) return node.number;
  std::optional<std::uint32_t> nearest;
  auto least = std::numeric_limits<std::uint64_t>::max();
  const auto consider = [&](std::uint32_t cpu_node, const KfdLink& link) {
    const auto weight = property(link.properties, "weight").value_or(least - 1);
    if (!cpu_nodes_.contains(cpu_node) || weight >= least) return;
    least = weight;
    nearest = cpu_node;
  };
  for (const KfdLink& link : node.io_links) consider(link.to, link);
  if (nearest) return nearest;
  for (const KfdNode& other : tree_.nodes) {
    for (const KfdLink& link : other.io_links) {
      if (link.to == node.number) consider(other.number, link);
    }
  }
  return nearest;
}

Gpu KfdProbe::gpu_from(const KfdNode& node, const KfdAddress& address) const {
  const auto value = [&](const char* name) { return property(node.properties, name); };
  Gpu gpu;
  gpu.arch = arch_from(value("gfx_target_version"));
  gpu.name = node.name.empty() || node.name == "ip discovery" ? gpu.arch.value_or("AMD GPU") : node.name;
  if (const auto model = amd_model_from(value("device_id").value_or(0))) gpu.name = *model;
  gpu.pci = address.pci;
  gpu.partition = address.partition;
  if (const auto cpu_node = cpu_node_of(node)) gpu.numa_node = NumaId{*cpu_node};
  // The product of the geometry lines counts units that are switched off too.
  const std::uint64_t simd_per_cu = value("simd_per_cu").value_or(0);
  const std::uint64_t units = simd_per_cu == 0 ? 0 : *value("simd_count") / simd_per_cu;
  if (units > 0 && units <= std::numeric_limits<std::uint32_t>::max()) {
    gpu.compute_units = static_cast<std::uint32_t>(units);
  }
  gpu.memory_bytes = node.memory_bytes;
  return gpu;
}

void KfdProbe::add_gpus() {
  for (const KfdNode& node : tree_.nodes) {
    if (property(node.properties, "cpu_cores_count").value_or(0) > 0) {
      cpu_nodes_.insert(node.number);
      NumaNode numa_node;
      numa_node.id = NumaId{node.number};
      numa_node.memory_bytes = is_gpu(node) ? std::nullopt : node.memory_bytes;
      reading_.numa_nodes.push_back(numa_node);
    }
    if (!is_gpu(node)) continue;
    gpu_at_node_[node.number] = static_cast<std::uint32_t>(gpu_nodes_.size());
    gpu_nodes_.push_back(&node);
  }
  const std::vector<KfdAddress> addresses = kfd_addresses(gpu_nodes_, reading_.notes);
  for (std::size_t gpu = 0; gpu < gpu_nodes_.size(); ++gpu) {
    const KfdNode& node = *gpu_nodes_[gpu];
    const std::uint64_t unique_id = property(node.properties, "unique_id").value_or(0);
    const auto uuid = unique_id == 0 ? std::nullopt : std::optional(fmt::format("GPU-{:016x}", unique_id));
    reading_.add(gpu_from(node, addresses[gpu]), uuid);
  }
}

void KfdProbe::number_hives() {
  std::map<std::uint64_t, std::uint32_t> numbers;
  reading_.tells_hives = false;
  for (std::uint32_t gpu = 0; gpu < gpu_nodes_.size(); ++gpu) {
    const auto hive = property(node_of(gpu).properties, "hive_id");
    if (hive) reading_.tells_hives = true;
    if (hive.value_or(0) == 0) continue;
    reading_.gpus[gpu].hive = numbers.emplace(*hive, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
}

Link KfdProbe::xgmi_link_from(std::uint32_t from, std::uint32_t to, const KfdProperties& properties) const {
  Link link;
  link.kind = LinkKind::xgmi;
  const auto max = property(properties, "max_bandwidth");
  if (are_in_one_package(reading_.gpus[from], reading_.gpus[to])) {
    link.kind = LinkKind::package;
    link.hops = 1;
    link.bandwidth_gb_per_s = gb_per_s_from(max);
    return link;
  }
  link.hops = hops_from_weight(property(properties, "weight"));
  // Of a weight that says nothing, a stated speed shows that there is a link: the driver states none for others.
  if (!link.hops && gb_per_s_from(max)) link.hops = 1;
  if (link.hops == 1u) {
    link.count = link_count_from(property(properties, "min_bandwidth"), max);
    link.bandwidth_gb_per_s = gb_per_s_from(max);
  }
  return link;
}

std::optional<Link> KfdProbe::link_from(std::uint32_t from, const KfdLink& source) const {
  const auto to = gpu_at_node_.find(source.to);
  if (to == gpu_at_node_.end()) return std::nullopt;
  const auto type = property(source.properties, "type");
  Link link;
  if (type == type_xgmi) {
    link = xgmi_link_from(from, to->second, source.properties);
  } else if (type == type_pcie) {
    link.kind = LinkKind::pcie;
    link.bandwidth_gb_per_s = gb_per_s_from(property(source.properties, "max_bandwidth"));
  } else {
    return std::nullopt;
  }
  link.from = GpuId{from};
  link.to = GpuId{to->second};
  return link;
}

void KfdProbe::add_links(std::uint32_t from) {
  const KfdNode& node = node_of(from);
  std::vector<Link> over_pcie;
  for (const auto* links : {&node.io_links, &node.p2p_links}) {
    for (const KfdLink& source : *links) {
      const bool leads_to_cpu = cpu_nodes_.contains(source.to);
      if (leads_to_cpu && property(source.properties, "type") == type_pcie) reading_.unjoined = LinkKind::pcie;
      const auto link = link_from(from, source);
      if (!link) continue;
      // The first statement for a pair counts, and a pair joined by XGMI can be listed over PCIe too.
      (link->kind == LinkKind::pcie ? over_pcie : reading_.links).push_back(*link);
    }
  }
  reading_.links.insert(reading_.links.end(), over_pcie.begin(), over_pcie.end());
}

void KfdProbe::note_one_way_links() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Link*> stated;
  for (const Link& link : reading_.links) {
    if (link.kind != LinkKind::pcie) stated.emplace(std::pair(link.from.index, link.to.index), &link);
  }
  for (const auto& [pair, link] : stated) {
    const auto back = stated.find({pair.second, pair.first});
    const std::uint32_t from = node_of(pair.first).number;
    const std::uint32_t to = node_of(pair.second).number;
    if (back == stated.end()) {
      reading_.notes.push_back(fmt::format("kfd: node {} lists a link to node {}, which lists none back", from, to));
    } else if (pair.first < pair.second && (link->hops != back->second->hops || link->count != back->second->count ||
                                            link->bandwidth_gb_per_s != back->second->bandwidth_gb_per_s)) {
      reading_.notes.push_back(
          fmt::format("kfd: the links from node {} to node {} and back differ in weight or bandwidth", from, to));
    }
  }
}

Reading KfdProbe::read() {
  reading_.basis = Basis::kfd;
  reading_.notes = tree_.notes;
  add_gpus();
  number_hives();
  for (std::uint32_t gpu = 0; gpu < gpu_nodes_.size(); ++gpu) add_links(gpu);
  note_one_way_links();
  return std::move(reading_);
}

}  // namespace

Reading probe_kfd(const std::filesystem::path& nodes) {
  return KfdProbe(read_kfd_tree(nodes)).read();
}

}  // namespace skua
