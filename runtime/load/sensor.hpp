// What is seen of the load of GPUs, by this process and by others.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skua/detail/pci_address.hpp>

namespace skua {

/// Which GPU a reading is about, in every source's words.
struct GpuAddress {
  PciAddress pci;  ///< of the GPU, the same for all its partitions
  std::optional<std::uint32_t> partition;

  auto operator<=>(const GpuAddress&) const = default;
};

/// A snapshot. A single one says little: a GPU is often seen between two kernels.
/// Units: parts of the whole, 0 to 1.
struct GpuLoad {
  /// The part of the GPU's wave slots in use, by this process, by all others, and by everybody.
  std::optional<double> own_occupancy;
  std::optional<double> others_occupancy;
  std::optional<double> total_occupancy;
  /// The part of the last moments in which something ran: whatever it was, by this process, and by all others.
  std::optional<double> busy;
  std::optional<double> own_busy;
  std::optional<double> others_busy;
  std::optional<bool> others_present;  ///< whether another process has opened the GPU for work
  std::optional<std::int64_t> at_ns;   ///< by the sampler's Clock: the newest of the readings; nothing: there is none

  /// Takes from `other` what is unknown here.
  void fill_from(const GpuLoad& other);
  bool operator==(const GpuLoad&) const = default;
};

struct GpuSample {
  GpuAddress gpu;
  GpuLoad load;  ///< without at_ns
};

/// What a Sensor says once.
struct SensorAnswer {
  std::vector<GpuSample> samples;      ///< a GPU that is not in it is unknown
  std::optional<std::string> failure;  ///< for people: why it must not be asked again
};

/// One source of readings.
/// Threads: one at a time.
class Sensor {
 public:
  virtual ~Sensor() = default;
  /// Blocks: for milliseconds. A source that can hang is asked in a process of its own.
  virtual SensorAnswer sample() = 0;
};

}  // namespace skua
