// Keeps the load of GPUs at hand, read by one thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <skua/clock.hpp>
#include "sensor.hpp"

namespace skua {

using Sensors = std::vector<std::unique_ptr<Sensor>>;

/// The sensors that have anything to say on this machine; what an earlier one tells wins over a later one.
/// Blocks: while the vendors' libraries are loaded.
Sensors open_sensors();

struct SamplerOptions {
  double rate_hz = 20.0;                         ///< kept within 10 and 100
  std::function<Sensors()> open = open_sensors;  ///< called by the sampling thread, at its start
};

/// Asks the sensors at a steady rate. A sensor that takes long is asked less often; one that fails is not asked again,
/// and a note says why. Without a GPU to watch there is no thread and no sensor.
/// Threads: any may call it.
class Sampler {
 public:
  /// `clock` must outlive the sampler.
  explicit Sampler(const Clock& clock, SamplerOptions options = {});
  /// Blocks: until the sensor that is being asked has answered.
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Starts the sampling with the first GPU that anybody watches; later calls do nothing.
  void watch(const GpuAddress& gpu);

  /// What was read last; everything is unknown before the first reading and for a GPU that nobody watches.
  /// Blocks: never for a sensor.
  GpuLoad latest(const GpuAddress& gpu) const;

  /// What went wrong, for people.
  std::vector<std::string> notes() const;

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skua
