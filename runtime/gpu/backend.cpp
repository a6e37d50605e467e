// Opening GPUs: which there are, whether they run, where they sit, and how they are cut.
#include "backend.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <skua/input.hpp>

#include "call.hpp"
#include "device.hpp"
#include "list.hpp"
#include "local_rank.hpp"
#include "memory.hpp"
#include "own_thread.hpp"
#include "partition.hpp"
#include "parts.hpp"
#include "peers.hpp"

namespace skua {
namespace {

// A compute unit counts as this many host cores until rates are measured.
constexpr double cores_in_compute_unit = 16;
// Holds the results of 8,192 granules of up to 128 bytes.
constexpr std::size_t prepared_bytes = std::size_t{1} << 20;

class Opening {
 public:
  Opening(const Topology& topology, const Clock& clock, const OpenOptions& options)
      : topology_(topology), clock_(clock), options_(options) {}

  Devices open(const std::string& argument);

 private:
  void list();
  std::vector<GpuPartSpec> which(const std::string& argument);
  std::vector<int> for_computing();
  GpuGrain grain(int ordinal) const;
  void open_gpu(const std::vector<GpuPartSpec>& parts);
  DeviceInfo describe_device(const GpuPartSpec& spec, std::uint32_t units) const;

  const Topology& topology_;
  const Clock& clock_;
  const OpenOptions& options_;
  std::vector<RuntimeGpu> gpus_;
  std::vector<std::string> notes_;
  bool has_blocking_parts_ = false;
  Devices devices_;
};

void Opening::list() {
  gpus_ = list_gpus(topology_);
  for (std::size_t ordinal = 0; ordinal < gpus_.size(); ++ordinal) {
    const auto& id = gpus_[ordinal].id;
    set_memory_node(static_cast<int>(ordinal), id ? topology_.gpus[id->index].numa_node : std::nullopt);
  }
}

GpuGrain Opening::grain(int ordinal) const {
  const auto& gpu = gpus_[static_cast<std::size_t>(ordinal)];
  try {
    return gpu_grain(ordinal, gpu);
  } catch (const GpuError& error) {
    throw InputError("devices gpu:" + std::to_string(ordinal) + ": it cannot be cut: " + error.what());
  }
}

DeviceInfo Opening::describe_device(const GpuPartSpec& spec, std::uint32_t units) const {
  const auto place = static_cast<std::size_t>(spec.ordinal);
  DeviceInfo info;
  info.name = "gpu:" + std::to_string(spec.ordinal);
  info.kind = GpuCode::backend;
  if (spec.part) info.name.append(1, '.').append(std::to_string(*spec.part));
  info.rate_guess = units * gpus_[place].clock_ghz * cores_in_compute_unit;
  info.gpu = gpus_[place].id;
  if (info.gpu) {
    const Gpu& gpu = topology_.gpus[info.gpu->index];
    info.numa_node = gpu.numa_node;
    info.cpus = gpu.cpus;
  }
  return info;
}

void Opening::open_gpu(const std::vector<GpuPartSpec>& parts) {
  const int ordinal = parts.front().ordinal;
  const std::uint32_t all_units = gpus_[static_cast<std::size_t>(ordinal)].compute_units;
  CutGpu cut;
  if (parts.front().part) {
    std::vector<std::uint32_t> units;
    for (const GpuPartSpec& part : parts) units.push_back(*part.compute_units);
    cut = cut_gpu(ordinal, gpus_[static_cast<std::size_t>(ordinal)], units);
  } else {
    cut.parts.push_back(whole_gpu());
  }
  Devices opened;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t units = parts[i].compute_units.value_or(all_units);
    auto device = std::make_unique<GpuDevice>(describe_device(parts[i], units), ordinal, units, cut.parts[i], clock_);
    assert(!parts[i].part || device->info().can.launches_max == streams_of_part);
    device->check_that_it_runs();
    opened.push_back(std::move(device));
  }
  for (auto& device : opened) devices_.push_back(std::move(device));
  has_blocking_parts_ = has_blocking_parts_ || cut.is_blocking;
}

/// A GPU that shares a die with CPUs, for a screen, would hold up every loop: it is used only where it is named.
std::vector<int> Opening::for_computing() {
  std::vector<int> ordinals;
  for (std::size_t place = 0; place < gpus_.size(); ++place) {
    const auto& id = gpus_[place].id;
    if (id && topology_.gpus[id->index].integrated == true) {
      const std::string name = "gpu:" + std::to_string(place);
      notes_.push_back(name + " is left out: it is integrated, for a screen; name it (" + name + ") to use it");
    } else {
      ordinals.push_back(static_cast<int>(place));
    }
  }
  return ordinals;
}

std::vector<GpuPartSpec> Opening::which(const std::string& argument) {
  std::vector<GpuPartSpec> specs;
  if (argument.empty()) {
    list();
    for (const int ordinal : for_computing()) specs.push_back({ordinal, {}, {}});
    return specs;
  }
  if (argument != gpus_of_this_rank) {
    list();
    return parse_gpu_parts(argument, static_cast<int>(gpus_.size()), [this](int ordinal) { return grain(ordinal); });
  }
  // First, so that nothing of the GPUs is touched where it is not known which are this rank's.
  const LocalRank rank = local_rank_from(environment_variable);
  list();
  const std::vector<int> ordinals = for_computing();
  if (ordinals.empty()) return specs;
  LocalGpus mine = local_gpus(rank, visible_gpus(static_cast<std::uint32_t>(ordinals.size()), topology_));
  notes_.insert(notes_.end(), mine.notes.begin(), mine.notes.end());
  for (const std::uint32_t place : mine.ordinals) specs.push_back({ordinals[place], {}, {}});
  return specs;
}

Devices Opening::open(const std::string& argument) {
  std::map<int, std::vector<GpuPartSpec>> by_gpu;
  std::vector<int> order;
  for (const GpuPartSpec& spec : which(argument)) {
    if (!by_gpu.contains(spec.ordinal)) order.push_back(spec.ordinal);
    by_gpu[spec.ordinal].push_back(spec);
  }
  std::vector<int> opened;
  for (const int ordinal : order) {
    try {
      open_gpu(by_gpu[ordinal]);
      opened.push_back(ordinal);
    } catch (const GpuError& error) {
      const std::string why = "gpu:" + std::to_string(ordinal) + " is left out: " + error.what();
      if (!argument.empty()) throw InputError("devices gpu:" + argument + ": " + why);
      notes_.push_back(why);
    }
  }
  if (devices_.empty()) throw GpuError(notes_.empty() ? "no GPU" : notes_.front());
  for (const int ordinal : opened) prepare_shared_memory(prepared_bytes, ordinal);  // one near each NUMA node
  if (options_.peers) {
    for (const std::string& note : enable_peers(opened)) notes_.push_back(note);
  }
  if (has_blocking_parts_) {
    notes_.emplace_back(
        "the streams of an AMD GPU's parts are blocking: they and work on the default stream wait for "
        "one another; use streams of your own beside Jobs");
  }
  static_cast<GpuDevice&>(*devices_.front()).add_notes(notes_);
  return std::move(devices_);
}

}  // namespace

Devices open_gpus(const std::string& argument, const Topology& topology, const Clock& clock,
                  const OpenOptions& options) {
  try {
    Devices devices;
    on_own_thread([&] { devices = Opening(topology, clock, options).open(argument); });
    return devices;
  } catch (const GpuError& error) {
    throw InputError("devices gpu" + (argument.empty() ? "" : ":" + argument) + ": " + error.what());
  }
}

}  // namespace skua
