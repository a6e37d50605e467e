// Reads the files in which AMD's driver shows what each process does on each GPU.
//
// cu_occupancy counts waves, as so many full compute units, rounded up. Where a GPU has several compute dies (XCDs), or
// is a partition of one that has, what it says is a matter of the driver (kfd_get_cu_occupancy() of kfd_process.c):
// - before the patches of autumn 2024 (about Linux 6.12) it asks the first die of the whole GPU, whatever the
// partition: of
//   n dies a full GPU is shown as 1/n, and of all partitions but the first nothing that is theirs;
// - since then it asks the partition's first die and multiplies by the number of its dies. Right, since workgroups are
// dealt
//   to dies in turn.
// The driver does not say which it is, and distributions carry such patches back. So a count on such a GPU is no part
// of the whole until one was seen that the older driver cannot show; only whether there is work is known before.
#include "kfd.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <probe/kfd_address.hpp>
#include <probe/kfd_tree.hpp>
#include <system/host_process_id.hpp>
#include <text/numbers.hpp>
#include <text/small_file.hpp>

namespace skua {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(const fs::path& file) {
  const auto text = read_small_file(file);
  return text ? number_from<std::uint64_t>(*text) : std::nullopt;
}

std::vector<fs::path> entries_of(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  return entries;
}

/// A GPU node of the topology.
struct KfdGpu {
  GpuAddress address;
  std::string id;  ///< under which the files of processes name it
  std::optional<std::uint64_t> compute_units;
  std::optional<std::uint64_t> dies;  ///< of it or, if it is one, of the partition
  bool is_whole = true;               ///< no other partition is at its address

  bool is_later_partition() const { return !is_whole && address.partition.value_or(1) != 0; }
  /// Whether the counts of the older driver, too, are of this GPU as a whole.
  bool counts_plainly() const { return dies == 1u && !is_later_partition(); }
};

/// What one process does on one GPU.
struct Use {
  std::optional<double> occupancy;
  std::optional<bool> has_queues;
};

class KfdSensor final : public Sensor {
 public:
  KfdSensor(KfdSensorOptions options, std::vector<KfdGpu> gpus)
      : options_(std::move(options)), gpus_(std::move(gpus)) {}
  SensorAnswer sample() override;

 private:
  using UseByGpu = std::vector<Use>;
  UseByGpu uses_of(const fs::path& process);
  bool has_queue_on_first_die(const KfdGpu& gpu, const std::vector<std::string>& busy_ids) const;
  void learn_from(std::uint64_t units, const KfdGpu& gpu, bool is_first_die_idle);
  std::optional<double> occupancy_from(std::uint64_t units, const KfdGpu& gpu) const;
  std::optional<double> busy_of(const KfdGpu& gpu) const;

  KfdSensorOptions options_;
  std::vector<KfdGpu> gpus_;
  bool counts_all_dies_ = false;  ///< a count was seen that only the newer driver shows
};

/// Whether a process with queues on these GPUs may have work on the first die of the GPU of which this is a partition.
bool KfdSensor::has_queue_on_first_die(const KfdGpu& gpu, const std::vector<std::string>& busy_ids) const {
  return std::any_of(gpus_.begin(), gpus_.end(), [&](const KfdGpu& other) {
    return other.address.pci == gpu.address.pci && !other.is_later_partition() &&
           std::find(busy_ids.begin(), busy_ids.end(), other.id) != busy_ids.end();
  });
}

void KfdSensor::learn_from(std::uint64_t units, const KfdGpu& gpu, bool is_first_die_idle) {
  const bool is_above_one_die = gpu.dies && *gpu.dies > 1 && units * *gpu.dies > *gpu.compute_units;
  const bool is_of_later_die = gpu.is_later_partition() && units > 0 && is_first_die_idle;
  counts_all_dies_ = counts_all_dies_ || is_above_one_die || is_of_later_die;
}

std::optional<double> KfdSensor::occupancy_from(std::uint64_t units, const KfdGpu& gpu) const {
  const bool is_idle = units == 0 && !gpu.is_later_partition();
  if (!is_idle && !gpu.counts_plainly() && !counts_all_dies_) return std::nullopt;
  return static_cast<double>(units) / static_cast<double>(*gpu.compute_units);
}

KfdSensor::UseByGpu KfdSensor::uses_of(const fs::path& process) {
  std::error_code error;
  std::vector<std::string> busy_ids;
  bool knows_queues = true;
  for (const fs::path& queue : entries_of(process / "queues", error)) {
    const auto id = read_small_file(queue / "gpuid");
    // A queue that ended between the listing and the reading is no longer there.
    if (id) busy_ids.push_back(*id);
    std::error_code ignored;
    if (!id && fs::exists(queue, ignored)) knows_queues = false;
  }
  knows_queues = knows_queues && !error;
  UseByGpu uses(gpus_.size());
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    const auto units = number_in(process / ("stats_" + gpus_[gpu].id) / "cu_occupancy");
    // Where the counter fails it is all ones, or something else that no GPU of this size can have.
    const bool is_counted = units && gpus_[gpu].compute_units && *units <= *gpus_[gpu].compute_units;
    if (is_counted) {
      learn_from(*units, gpus_[gpu], knows_queues && !has_queue_on_first_die(gpus_[gpu], busy_ids));
      uses[gpu].occupancy = occupancy_from(*units, gpus_[gpu]);
    }
    const bool is_listed = std::find(busy_ids.begin(), busy_ids.end(), gpus_[gpu].id) != busy_ids.end();
    if (is_listed || (is_counted && *units > 0)) {
      uses[gpu].has_queues = true;
    } else if (knows_queues) {
      uses[gpu].has_queues = false;
    }
  }
  return uses;
}

std::optional<double> KfdSensor::busy_of(const KfdGpu& gpu) const {
  // The file is about the GPU as a whole and says nothing about one of its partitions.
  if (!gpu.is_whole) return std::nullopt;
  const auto percent = number_in(options_.sys / "bus/pci/devices" / gpu.address.pci.to_text() / "gpu_busy_percent");
  if (!percent || *percent > 100) return std::nullopt;
  return static_cast<double>(*percent) / 100.0;
}

/// The sum over processes; unknown as soon as one that has work there is unknown.
class Sum {
 public:
  void add(const Use& use) {
    if (use.occupancy) {
      occupancy_ += *use.occupancy;
    } else if (use.has_queues != false) {
      is_known_ = false;
    }
    has_queues_ = has_queues_ || use.has_queues == true;
    knows_queues_ = knows_queues_ && use.has_queues.has_value();
  }
  /// Counts of each process are rounded up.
  std::optional<double> occupancy() const {
    return is_known_ ? std::optional(std::min(occupancy_, 1.0)) : std::nullopt;
  }
  std::optional<bool> has_queues() const {
    return has_queues_ || knows_queues_ ? std::optional(has_queues_) : std::nullopt;
  }

 private:
  double occupancy_ = 0.0;
  bool is_known_ = true;
  bool has_queues_ = false;
  bool knows_queues_ = true;
};

SensorAnswer KfdSensor::sample() {
  std::error_code error;
  std::optional<UseByGpu> own;
  std::vector<UseByGpu> others;
  const auto own_id = host_process_id(options_.process);
  for (const fs::path& process : entries_of(options_.sys / "class/kfd/kfd/proc", error)) {
    const auto id = number_from<std::uint64_t>(process.filename().native());
    if (!id) continue;
    UseByGpu uses = uses_of(process);
    // One that ended meanwhile left half of its files to be read.
    std::error_code ignored;
    if (!fs::exists(process, ignored)) continue;
    if (id == own_id) {
      own = std::move(uses);
    } else {
      others.push_back(std::move(uses));
    }
  }
  SensorAnswer answer;
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    GpuLoad load;
    load.busy = busy_of(gpus_[gpu]);
    Sum sum;
    for (const UseByGpu& uses : others) sum.add(uses[gpu]);
    // A list that broke off says nothing.
    const bool is_whole_list = !error;
    if (own && is_whole_list) {
      load.own_occupancy = (*own)[gpu].occupancy;
      load.others_occupancy = sum.occupancy();
      load.others_present = sum.has_queues();
      if (load.own_occupancy) sum.add((*own)[gpu]);
    }
    const bool is_complete = is_whole_list && (own ? load.own_occupancy.has_value() : !others.empty());
    if (is_complete) load.total_occupancy = sum.occupancy();
    answer.samples.push_back({gpus_[gpu].address, load});
  }
  return answer;
}

/// Drivers that do not tell the number of dies know no GPU that has several, unless it is of a kind that has.
std::optional<std::uint64_t> dies_of(const KfdProperties& properties) {
  constexpr std::uint64_t first_of_several = 90'400;  // gfx940, as major * 10000 + minor * 100 + step
  constexpr std::uint64_t first_of_next = 100'000;
  if (const auto dies = property(properties, "num_xcc"); dies && *dies > 0) return dies;
  const std::uint64_t version = property(properties, "gfx_target_version").value_or(0);
  return version >= first_of_several && version < first_of_next ? std::nullopt : std::optional<std::uint64_t>(1);
}

std::vector<KfdGpu> gpus_in(const fs::path& nodes) {
  const KfdTree tree = read_kfd_tree(nodes);
  std::vector<const KfdNode*> gpu_nodes;
  for (const KfdNode& node : tree.nodes) {
    if (property(node.properties, "simd_count").value_or(0) > 0) gpu_nodes.push_back(&node);
  }
  // What is odd about addresses is told when the topology is read.
  std::vector<std::string> notes;
  const std::vector<KfdAddress> addresses = kfd_addresses(gpu_nodes, notes);
  std::vector<KfdGpu> gpus;
  std::map<PciAddress, int> nodes_at;
  for (std::size_t gpu = 0; gpu < gpu_nodes.size(); ++gpu) {
    const auto id = number_in(nodes / std::to_string(gpu_nodes[gpu]->number) / "gpu_id");
    if (!addresses[gpu].pci) continue;
    ++nodes_at[*addresses[gpu].pci];
    if (id.value_or(0) == 0) continue;
    const KfdProperties& properties = gpu_nodes[gpu]->properties;
    const std::uint64_t per_unit = property(properties, "simd_per_cu").value_or(0);
    const std::uint64_t units = per_unit == 0 ? 0 : *property(properties, "simd_count") / per_unit;
    gpus.push_back({{*addresses[gpu].pci, addresses[gpu].partition},
                    std::to_string(*id),
                    units == 0 ? std::nullopt : std::optional(units),
                    dies_of(properties)});
  }
  for (KfdGpu& gpu : gpus) gpu.is_whole = nodes_at[gpu.address.pci] == 1;
  return gpus;
}

}  // namespace

std::unique_ptr<Sensor> open_kfd_sensor(const KfdSensorOptions& options) {
  const auto nodes = find_kfd_nodes(options.sys / "class/kfd/kfd/topology");
  if (!nodes) return nullptr;
  std::vector<KfdGpu> gpus = gpus_in(*nodes);
  if (gpus.empty()) return nullptr;
  return std::make_unique<KfdSensor>(options, std::move(gpus));
}

}  // namespace skua
