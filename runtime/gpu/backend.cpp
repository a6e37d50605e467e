// Opening GPUs: which there are, whether they run, where they sit, and how they are cut.
#include "backend.hpp"

#include <algorithm>
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
  std::vector<GpuPartSpec> which(const std::string& argument);
  GpuGrain grain(int ordinal) const;
  void open_gpu(const std::vector<GpuPartSpec>& parts);
  DeviceInfo describe_device(const GpuPartSpec& spec, std::uint32_t units) const;

  const Topology& topology_;
  const Clock& clock_;
  const OpenOptions& options_;
  std::vector<RuntimeGpu> gpus_;
  std::vector<std::string> notes_;
  Devices devices_;
};

GpuGrain Opening::grain(int ordinal) const {
  const auto& gpu = gpus_[static_cast<std::size_t>(ordinal)];
  try {
    return gpu_grain(ordinal, gpu.compute_units);
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
  std::vector<MakeGpuStream> streams;
  if (parts.front().part) {
    std::vector<std::uint32_t> units;
    for (const GpuPartSpec& part : parts) units.push_back(*part.compute_units);
    streams = cut_gpu(ordinal, all_units, units);
  } else {
    streams.push_back(whole_gpu());
  }
  Devices opened;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t units = parts[i].compute_units.value_or(all_units);
    auto device = std::make_unique<GpuDevice>(describe_device(parts[i], units), ordinal, units, streams[i], clock_);
    device->check_that_it_runs();
    opened.push_back(std::move(device));
  }
  for (auto& device : opened) devices_.push_back(std::move(device));
}

std::vector<GpuPartSpec> Opening::which(const std::string& argument) {
  if (argument != gpus_of_this_rank) {
    gpus_ = list_gpus(topology_);
    return parse_gpu_parts(argument, static_cast<int>(gpus_.size()), [this](int ordinal) { return grain(ordinal); });
  }
  // First, so that nothing of the GPUs is touched where it is not known which are this rank's.
  const LocalRank rank = local_rank_from(environment_variable);
  gpus_ = list_gpus(topology_);
  LocalGpus mine = local_gpus(rank, visible_gpus(static_cast<std::uint32_t>(gpus_.size()), topology_));
  notes_ = std::move(mine.notes);
  std::vector<GpuPartSpec> specs;
  for (const std::uint32_t ordinal : mine.ordinals) specs.push_back({static_cast<int>(ordinal), {}, {}});
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
  prepare_shared_memory(prepared_bytes, opened.front());
  if (options_.peers) {
    for (const std::string& note : enable_peers(opened)) notes_.push_back(note);
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
