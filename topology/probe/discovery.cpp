// Asks the sources in their fixed order and merges what they say.
#include <skua/discovery.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <skua/input.hpp>
#include "masks.hpp"

#include <read/described.hpp>
#include "hwloc.hpp"
#include "kfd.hpp"
#include "kfd_tree.hpp"
#include "merge.hpp"
#include "nvml.hpp"
#include "pci_locality.hpp"
#include "rocm_smi.hpp"

namespace skua {
namespace {

namespace fs = std::filesystem;

/// `name` is the option or variable that asks for the file.
std::string read_described_file(const fs::path& file, const char* name) {
  constexpr std::size_t bytes_max = std::size_t{512} << 20;
  std::error_code error;
  if (fs::is_directory(file, error)) {
    throw InputError(
        fmt::format("{}: {} is a folder; a copy of the files of AMD's driver is read by --sysfs", name, file.string()));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(fmt::format("{}: {} cannot be opened", name, file.string()));
  std::string content;
  std::vector<char> buffer(1 << 20);
  while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || stream.gcount() > 0) {
    content.append(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    if (content.size() > bytes_max) throw InputError(fmt::format("{}: {} is larger than 512 MiB", name, file.string()));
  }
  return content;
}

Topology from_file(const fs::path& file, const char* name) {
  return read_described(read_described_file(file, name), file.string());
}

Topology from_tree(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw InputError(fmt::format("--sysfs: {} is not a folder", folder.string()));
  const auto nodes = find_kfd_nodes(folder);
  if (!nodes) throw InputError(fmt::format("--sysfs: there are no KFD nodes in {}", folder.string()));
  Topology topology = merge({probe_kfd(*nodes)}).topology;
  locate_gpus(topology, folder);
  leave_memory_only_nodes(topology, folder);
  return topology;
}

/// Brings the GPUs of the runtime's own source into the order in which the runtime will number them: those that the
/// masks keep, in their order, and then the hidden ones.
void order_by_masks(Reading& reading, const MaskPrediction& prediction) {
  std::vector<std::size_t> order = prediction.visible;
  for (std::size_t place = 0; place < reading.gpus.size(); ++place) {
    if (prediction.hidden_by[place]) order.push_back(place);
  }
  std::vector<std::uint32_t> new_place(order.size());
  Reading ordered = reading;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    new_place[order[place]] = place;
    ordered.gpus[place] = reading.gpus[order[place]];
    ordered.gpus[place].hidden_by = prediction.hidden_by[order[place]];
    ordered.uuids[place] = reading.uuids[order[place]];
  }
  for (Link& link : ordered.links) {
    link.from.index = new_place[link.from.index];
    link.to.index = new_place[link.to.index];
  }
  ordered.notes.insert(ordered.notes.end(), prediction.notes.begin(), prediction.notes.end());
  reading = std::move(ordered);
}

/// KFD counts its CPU nodes, the operating system its NUMA nodes; where some of these have no CPUs, the numbers differ.
void renumber_numa_nodes(Reading& kfd, const std::vector<NumaNode>& numa_nodes) {
  std::vector<NumaId> with_cpus;
  for (const NumaNode& node : numa_nodes) {
    if (!node.cpus.empty()) with_cpus.push_back(node.id);
  }
  std::sort(with_cpus.begin(), with_cpus.end());
  if (with_cpus.size() != kfd.numa_nodes.size()) return;
  for (Gpu& gpu : kfd.gpus) {
    for (std::size_t place = 0; gpu.numa_node && place < with_cpus.size(); ++place) {
      if (kfd.numa_nodes[place].id != *gpu.numa_node) continue;
      gpu.numa_node = with_cpus[place];
      break;
    }
  }
}

class LiveMachine {
 public:
  explicit LiveMachine(Source source) : source_(source) {}
  Topology read();

 private:
  bool asks(Source source) const { return source_ == Source::automatic || source_ == source; }
  void ask_amd();
  void ask_nvidia();

  Source source_;
  std::vector<Reading> readings_;
  Reading hwloc_;
  std::size_t visible_ = 0;
};

void LiveMachine::ask_amd() {
  const MaskVariables masks = MaskVariables::from_environment();
  const auto nodes = asks(Source::kfd) ? find_kfd_nodes("/sys/class/kfd/kfd/topology") : std::nullopt;
  if (nodes) {
    Reading kfd = probe_kfd(*nodes, "/dev");
    renumber_numa_nodes(kfd, hwloc_.numa_nodes);
    std::vector<std::optional<std::string>> unreachable;
    for (const Gpu& gpu : kfd.gpus) unreachable.push_back(gpu.hidden_by);
    const MaskPrediction prediction = predict_rocm_masks(kfd.uuids, masks, unreachable);
    visible_ += prediction.visible.size();
    if (!kfd.gpus.empty()) order_by_masks(kfd, prediction);
    readings_.push_back(std::move(kfd));
  }
  if (asks(Source::rocm_smi)) readings_.push_back(probe_rocm_smi());
}

void LiveMachine::ask_nvidia() {
  if (!asks(Source::nvml)) return;
  Reading nvml = probe_nvml();
  const MaskPrediction prediction = predict_cuda_mask(nvml.uuids, MaskVariables::from_environment());
  visible_ += prediction.visible.size();
  if (!nvml.gpus.empty()) order_by_masks(nvml, prediction);
  readings_.push_back(std::move(nvml));
}

Topology LiveMachine::read() {
  // hwloc is asked whatever the source: where the CPUs are, no other source tells.
  hwloc_ = probe_hwloc();
  ask_amd();
  ask_nvidia();
  if (!asks(Source::hwloc)) {
    hwloc_.gpus.clear();
    hwloc_.uuids.clear();
  }
  readings_.push_back(hwloc_);
  Topology topology = merge(readings_).topology;
  locate_gpus(topology, "/sys");
  topology.host = discover_host_cpus();
  leave_memory_only_nodes(topology, "/sys");
  for (Gpu& gpu : topology.gpus) {
    const bool has_driver = source_ != Source::automatic || gpu.basis != Basis::hwloc;
    if (!has_driver) gpu.hidden_by = "no compute driver";
    if (gpu.cpus || !gpu.numa_node) continue;
    for (const NumaNode& node : topology.numa_nodes) {
      if (node.id == *gpu.numa_node && !node.cpus.empty()) gpu.cpus = node.cpus;
    }
  }
  if (!topology.gpus.empty()) {
    const auto notes = explain_slurm(visible_);
    topology.notes.insert(topology.notes.end(), notes.begin(), notes.end());
  }
  return topology;
}

}  // namespace

Topology discover(const DiscoveryOptions& options) {
  if (options.file) {
    if (options.source != Source::automatic) throw InputError("--from: a file is its own source");
    return from_file(*options.file, "--file");
  }
  if (options.sysfs) {
    if (options.source != Source::automatic && options.source != Source::kfd) {
      throw InputError("--from: a tree given by --sysfs is read as KFD's only");
    }
    return from_tree(*options.sysfs);
  }
  const auto variable = environment_variable("SKUA_TOPOLOGY");
  if (variable && options.source == Source::automatic) return from_file(*variable, "SKUA_TOPOLOGY");
  return LiveMachine(options.source).read();
}

}  // namespace skua
