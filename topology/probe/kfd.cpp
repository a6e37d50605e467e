// Turns KFD nodes and links into GPUs and links.
#include "kfd.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <graph/amd_link.hpp>
#include <graph/amd_models.hpp>
#include <graph/partitions.hpp>
#include "kfd_address.hpp"
#include "kfd_tree.hpp"
#include "render_node.hpp"

namespace skua {
namespace {

constexpr std::uint64_t type_pcie = 2;
constexpr std::uint64_t type_xgmi = 11;

/// "gfx90a" from 90010.
std::optional<std::string> arch_from(std::optional<std::uint64_t> version) {
  if (!version || *version == 0 || *version > 999'999) return std::nullopt;
  return fmt::format("gfx{}{:x}{:x}", *version / 10'000, *version / 100 % 100, *version % 100);
}

/// A number of things that a GPU has. 0 is how kernels write that they do not know it.
std::optional<std::uint32_t> count_from(std::optional<std::uint64_t> value) {
  if (value.value_or(0) == 0 || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

/// `arrays` are those of all engines of all XCDs.
std::optional<std::uint32_t> shader_engines_from(std::optional<std::uint32_t> arrays,
                                                 std::optional<std::uint32_t> arrays_per_engine) {
  if (!arrays || !arrays_per_engine || *arrays % *arrays_per_engine != 0) return std::nullopt;
  return *arrays / *arrays_per_engine;
}

/// GPUs that sit beside CPUs on their die and share their memory, for a screen: those of AMD's that KFD shows as nodes
/// of their own. Older ones are one node with their CPUs.
bool is_integrated_arch(const std::string& arch) {
  constexpr std::array<std::string_view, 11> integrated = {"gfx902",  "gfx909",  "gfx90c",  "gfx1033",
                                                           "gfx1035", "gfx1036", "gfx1103", "gfx1150",
                                                           "gfx1151", "gfx1152", "gfx1153"};
  return std::find(integrated.begin(), integrated.end(), arch) != integrated.end();
}

class KfdProbe {
 public:
  KfdProbe(KfdTree tree, std::optional<std::filesystem::path> devices)
      : tree_(std::move(tree)), devices_(std::move(devices)) {}
  Reading read();

 private:
  void add_gpus();
  Gpu gpu_from(const KfdNode& node, const KfdAddress& address) const;
  bool is_integrated(const KfdNode& node, const Gpu& gpu) const;
  std::optional<std::uint32_t> cpu_node_of(const KfdNode& node) const;
  std::map<std::uint32_t, std::uint64_t> weights_around(std::uint32_t number) const;
  void note_closed();
  void number_hives();
  void add_links(std::uint32_t from);
  std::optional<Link> link_from(std::uint32_t from, const KfdLink& source) const;
  Link xgmi_link_from(std::uint32_t from, std::uint32_t to, const KfdProperties& properties) const;
  void note_one_way_links();

  const KfdNode& node_of(std::uint32_t gpu) const { return *gpu_nodes_[gpu]; }

  KfdTree tree_;
  std::optional<std::filesystem::path> devices_;
  std::vector<const KfdNode*> gpu_nodes_;
  std::map<std::uint32_t, std::uint32_t> gpu_at_node_;
  std::set<std::uint32_t> cpu_nodes_;
  std::set<std::uint32_t> memory_nodes_;
  Reading reading_;
  std::vector<std::optional<std::uint64_t>> weights_;  ///< of the reading's links
};

/// The neighbours of a node by io_links that it lists, or that lead to it, each with the least weight of these.
std::map<std::uint32_t, std::uint64_t> KfdProbe::weights_around(std::uint32_t number) const {
  constexpr std::uint64_t unknown = std::uint64_t{1} << 32;
  std::map<std::uint32_t, std::uint64_t> weights;
  for (const KfdNode& node : tree_.nodes) {
    for (const KfdLink& link : node.io_links) {
      if (node.number != number && link.to != number) continue;
      const std::uint32_t other = node.number == number ? link.to : node.number;
      const std::uint64_t weight = std::min(property(link.properties, "weight").value_or(unknown), unknown);
      const auto [known, is_new] = weights.emplace(other, weight);
      if (!is_new) known->second = std::min(known->second, weight);
    }
  }
  return weights;
}

/// The nearest node with CPUs; behind a node that has memory only, its nearest.
std::optional<std::uint32_t> KfdProbe::cpu_node_of(const KfdNode& node) const {
  if (cpu_nodes_.contains(node.number)) return node.number;
  std::optional<std::uint32_t> nearest;
  auto least = std::numeric_limits<std::uint64_t>::max();
  const auto consider = [&](std::uint32_t cpu_node, std::uint64_t weight) {
    if (!cpu_nodes_.contains(cpu_node) || weight >= least) return;
    least = weight;
    nearest = cpu_node;
  };
  const auto around = weights_around(node.number);
  for (const auto& [neighbour, weight] : around) consider(neighbour, weight);
  if (nearest) return nearest;
  for (const auto& [neighbour, weight] : around) {
    if (!memory_nodes_.contains(neighbour)) continue;
    for (const auto& [behind, weight_behind] : weights_around(neighbour)) consider(behind, weight + weight_behind);
  }
  return nearest;
}

/// An MI300A sits beside CPUs as well, but is made for computing. What KFD says of it and of no GPU for a screen: it
/// has several XCDs, or is in a hive, or its link to its CPUs is XGMI.
bool KfdProbe::is_integrated(const KfdNode& node, const Gpu& gpu) const {
  const bool is_on_xgmi = std::any_of(node.io_links.begin(), node.io_links.end(), [](const KfdLink& link) {
    return property(link.properties, "type") == type_xgmi;
  });
  if (is_on_xgmi || gpu.xcds.value_or(1) > 1 || property(node.properties, "hive_id").value_or(0) != 0) return false;
  if (property(node.properties, "cpu_cores_count").value_or(0) > 0) return true;
  return gpu.arch && is_integrated_arch(*gpu.arch);
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
  if (const auto simd_per_cu = count_from(value("simd_per_cu"))) {
    gpu.compute_units = count_from(*value("simd_count") / *simd_per_cu);
  }
  gpu.xcds = count_from(value("num_xcc"));
  gpu.shader_engines =
      shader_engines_from(count_from(value("array_count")), count_from(value("simd_arrays_per_engine")));
  gpu.hardware_queues = count_from(value("num_cp_queues"));
  gpu.integrated = is_integrated(node, gpu);
  gpu.memory_bytes = node.memory_bytes;
  return gpu;
}

void KfdProbe::add_gpus() {
  for (const KfdNode& node : tree_.nodes) {
    if (property(node.properties, "cpu_cores_count").value_or(0) > 0) {
      cpu_nodes_.insert(node.number);
      NumaNode numa_node;
      numa_node.id = NumaId{node.number};
      const bool is_plain = !is_gpu(node) && !is_unstarted_gpu(node);
      numa_node.memory_bytes = is_plain ? node.memory_bytes : std::nullopt;
      reading_.numa_nodes.push_back(numa_node);
    } else if (!is_gpu(node) && !is_unstarted_gpu(node)) {
      memory_nodes_.insert(node.number);
    }
    if (is_unstarted_gpu(node)) {
      reading_.notes.push_back(fmt::format(
          "kfd: node {} has a GPU that the driver did not start, so that no runtime sees it; the kernel's log says why",
          node.number));
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
    Gpu read = gpu_from(node, addresses[gpu]);
    const auto minor = property(node.properties, "drm_render_minor");
    if (devices_ && minor) read.hidden_by = why_closed(*devices_, *minor);
    reading_.add(std::move(read), uuid);
  }
}

/// One note for each kind of failure, however many GPUs there are.
void KfdProbe::note_closed() {
  std::map<std::string, std::vector<std::string>> closed;
  for (const Gpu& gpu : reading_.gpus) {
    if (gpu.hidden_by) closed[gpu.hidden_by->substr(gpu.hidden_by->find(": ") + 2)].push_back(*gpu.hidden_by);
  }
  for (const auto& [why, nodes] : closed) {
    const std::string more = nodes.size() > 1 ? fmt::format(", and {} more likewise", nodes.size() - 1) : "";
    reading_.notes.push_back(fmt::format(
        "kfd: this process cannot open {}{}; runtimes leave such GPUs out and count the others", nodes[0], more));
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
  std::vector<std::optional<std::uint64_t>> weights_over_pcie;
  for (const auto* links : {&node.io_links, &node.p2p_links}) {
    for (const KfdLink& source : *links) {
      const bool leads_to_cpu = cpu_nodes_.contains(source.to);
      if (leads_to_cpu && property(source.properties, "type") == type_pcie) reading_.unjoined = LinkKind::pcie;
      const auto link = link_from(from, source);
      if (!link) continue;
      // The first statement for a pair counts, and a pair joined by XGMI can be listed over PCIe too.
      const bool is_pcie = link->kind == LinkKind::pcie;
      (is_pcie ? over_pcie : reading_.links).push_back(*link);
      (is_pcie ? weights_over_pcie : weights_).push_back(property(source.properties, "weight"));
    }
  }
  reading_.links.insert(reading_.links.end(), over_pcie.begin(), over_pcie.end());
  weights_.insert(weights_.end(), weights_over_pcie.begin(), weights_over_pcie.end());
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
  note_closed();
  number_hives();
  for (std::uint32_t gpu = 0; gpu < gpu_nodes_.size(); ++gpu) add_links(gpu);
  rank_by_weights(reading_.links, weights_);
  note_one_way_links();
  return std::move(reading_);
}

}  // namespace

Reading probe_kfd(const std::filesystem::path& nodes, const std::optional<std::filesystem::path>& devices) {
  return KfdProbe(read_kfd_tree(nodes), devices).read();
}

}  // namespace skua
