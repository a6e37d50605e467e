// The GPUs that a bench runs over; where there is one only, equal parts of it stand in for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skua/skua.hpp>

#include <gpu/partition.hpp>

namespace bench {

/// One GPU of the node, or what stands in for it.
struct Unit {
  std::string device;  ///< skua's name of it
  int ordinal = 0;
  std::uint32_t compute_units = 0;
  skua::MakeGpuStream make_stream;  ///< beside skua's own streams, on the same compute units
};

/// A GPU as the runtime sees it.
/// Fails: GpuError.
skua::RuntimeGpu gpu_of(int ordinal);

/// A stream on the first `compute_units` of a GPU.
/// Fails: GpuError.
skua::MakeGpuStream first_part(int ordinal, std::uint32_t compute_units);

class Node {
 public:
  /// All GPUs, or as many equal parts of the only one as `parts_max` and its grain allow. The first `halved` units are
  /// cut to half their compute units; at least one stays whole.
  /// Fails: GpuError, InputError.
  explicit Node(std::size_t halved = 0, std::size_t parts_max = 8);

  const std::vector<Unit>& units() const noexcept { return units_; }
  bool is_parts() const noexcept { return is_parts_; }
  /// "NVIDIA H200, 2 GPUs, of 132 132 compute units".
  std::string describe() const;

  /// A Scheduler over `count` units from the `first` on.
  skua::Scheduler scheduler(std::size_t first, std::size_t count) const;

 private:
  void take_gpus(std::size_t count, std::size_t halved);
  void cut_the_only_gpu(std::size_t halved, std::size_t parts_max);

  std::vector<Unit> units_;
  std::vector<std::size_t> places_;  ///< of the units among the devices that devices_ opens
  std::string devices_;
  bool is_parts_ = false;
};

/// Of the current machine. Fails: GpuError.
std::size_t gpu_count();
std::uint32_t compute_units_of(int ordinal);
/// Of the first one.
std::string gpu_name();

}  // namespace bench
