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
  Opening(const Topology& topology, const Clock& clock) : topology_(topology), clock_(clock) {}

  Devices open(const std::string& argument);

 private:
  GpuGrain grain(int ordinal) const;
  void open_gpu(const std::vector<GpuPartSpec>& parts);
  DeviceInfo describe_device(const GpuPartSpec& spec, std::uint32_t units) const;

  const Topology& topology_;
  const Clock& clock_;
  std::vector<RuntimeGpu> gpus_;
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

Devices Opening::open(const std::string& argument) {
  gpus_ = list_gpus(topology_);
  const int count = static_cast<int>(gpus_.size());
  std::map<int, std::vector<GpuPartSpec>> by_gpu;
  std::vector<int> order;
  for (const GpuPartSpec& spec : parse_gpu_parts(argument, count, [this](int ordinal) { return grain(ordinal); })) {
    if (!by_gpu.contains(spec.ordinal)) order.push_back(spec.ordinal);
    by_gpu[spec.ordinal].push_back(spec);
  }
  std::vector<std::string> notes;
  std::vector<int> opened;
  for (const int ordinal : order) {
    try {
      open_gpu(by_gpu[ordinal]);
      opened.push_back(ordinal);
    } catch (const GpuError& error) {
      const std::string why = "gpu:" + std::to_string(ordinal) + " is left out: " + error.what();
      if (!argument.empty()) throw InputError("devices gpu:" + argument + ": " + why);
      notes.push_back(why);
    }
  }
  if (devices_.empty()) throw GpuError(notes.empty() ? "no GPU" : notes.front());
  prepare_shared_memory(prepared_bytes, opened.front());
  for (const std::string& note : enable_peers(opened)) notes.push_back(note);
  static_cast<GpuDevice&>(*devices_.front()).add_notes(notes);
  return std::move(devices_);
}

}  // namespace

Devices open_gpus(const std::string& argument, const Topology& topology, const Clock& clock) {
  try {
    Devices devices;
    on_own_thread([&] { devices = Opening(topology, clock).open(argument); });
    return devices;
  } catch (const GpuError& error) {
    throw InputError("devices gpu" + (argument.empty() ? "" : ":" + argument) + ": " + error.what());
  }
}

}  // namespace skua
