// Finds the GPUs, or cuts the only one.
#include "node.hpp"

#include <algorithm>

#include <gpu/call.hpp>
#include "current_gpu.hpp"

namespace bench {

using namespace skua::gpu_api;

std::size_t gpu_count() {
  int count = 0;
  skua::require("hipGetDeviceCount", hipGetDeviceCount(&count));
  return static_cast<std::size_t>(count);
}

std::uint32_t compute_units_of(int ordinal) {
  int count = 0;
  skua::require("hipDeviceGetAttribute", hipDeviceGetAttribute(&count, hipDeviceAttributeMultiprocessorCount, ordinal));
  return static_cast<std::uint32_t>(count);
}

skua::RuntimeGpu gpu_of(int ordinal) {
  return skua::list_gpus(skua::discover()).at(static_cast<std::size_t>(ordinal));
}

skua::MakeGpuStream first_part(int ordinal, std::uint32_t compute_units) {
  return skua::cut_gpu(ordinal, gpu_of(ordinal), {compute_units}).parts.front();
}

std::string gpu_name() {
  const skua::Topology topology = skua::discover();
  return topology.gpus.empty() || topology.gpus.front().name.empty() ? "unknown GPU" : topology.gpus.front().name;
}

Node::Node(std::size_t halved, std::size_t parts_max) {
  const std::size_t count = gpu_count();
  if (count > 1) {
    take_gpus(count, std::min(halved, count - 1));
  } else {
    cut_the_only_gpu(halved, parts_max);
  }
}

void Node::take_gpus(std::size_t count, std::size_t halved) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int ordinal = static_cast<int>(i);
    const skua::RuntimeGpu gpu = gpu_of(ordinal);
    Unit unit;
    unit.ordinal = ordinal;
    unit.device = "gpu:" + std::to_string(i);
    devices_ += (i == 0 ? "gpu:" : ",") + std::to_string(i);
    places_.push_back(place);
    if (i < halved) {
      // The other half stays idle.
      const bench::CurrentGpu current(ordinal);
      const skua::GpuGrain grain = skua::gpu_grain(ordinal, gpu);
      unit.compute_units = grain.available / grain.quantum / 2 * grain.quantum;
      const std::string half = std::to_string(unit.compute_units);
      devices_.append("/").append(half).append("+").append(half);
      unit.device += ".0";
      unit.make_stream = first_part(ordinal, unit.compute_units);
      place += 2;
    } else {
      unit.compute_units = gpu.compute_units;
      unit.make_stream = skua::whole_gpu();
      place += 1;
    }
    units_.push_back(std::move(unit));
  }
}

void Node::cut_the_only_gpu(std::size_t halved, std::size_t parts_max) {
  is_parts_ = true;
  const skua::RuntimeGpu gpu = gpu_of(0);
  const bench::CurrentGpu current(0);
  const skua::GpuGrain grain = skua::gpu_grain(0, gpu);
  const std::size_t quanta = grain.available / grain.quantum;
  const std::size_t halves = std::min(halved, parts_max - 1);
  // A half is `size` quanta, a whole twice as many; without halves, a whole may be any number of them.
  const std::size_t size = halves > 0 ? quanta / (halves + 2 * (parts_max - halves)) : quanta / parts_max;
  if (size == 0) throw skua::GpuError("this GPU cannot be cut into " + std::to_string(parts_max) + " such parts");
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < parts_max; ++i) {
    const std::size_t own = halves == 0 || i < halves ? size : 2 * size;
    sizes.push_back(static_cast<std::uint32_t>(own) * grain.quantum);
    devices_ += (i == 0 ? "gpu:0/" : "+") + std::to_string(sizes.back());
  }
  const std::vector<skua::MakeGpuStream> streams = skua::cut_gpu(0, gpu, sizes).parts;
  for (std::size_t i = 0; i < parts_max; ++i) {
    units_.push_back({"gpu:0." + std::to_string(i), 0, sizes[i], streams[i]});
    places_.push_back(i);
  }
}

std::string Node::describe() const {
  std::string text =
      gpu_name() + ", " + std::to_string(units_.size()) + (is_parts_ ? " parts of one GPU, of" : " GPUs, of");
  for (const Unit& unit : units_) text += " " + std::to_string(unit.compute_units);
  return text + " compute units";
}

skua::Scheduler Node::scheduler(std::size_t first, std::size_t count) const {
  static const skua::SteadyClock clock;
  const skua::Topology topology = skua::discover();
  skua::Devices all = skua::open_devices(devices_, topology, clock);
  skua::Devices taken;
  for (std::size_t i = first; i < first + count; ++i) taken.push_back(std::move(all.at(places_.at(i))));
  return skua::Scheduler(std::move(taken), {}, topology);
}

}  // namespace bench
