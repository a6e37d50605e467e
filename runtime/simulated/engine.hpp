// What keeps a Simulation's virtual time: one engine's half of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <skua/simulated.hpp>

#include "launches.hpp"

namespace skua {

/// The calls of a run that were asked for beforehand: seconds from its begin, and what to call.
using SimulatedCalls = std::vector<std::pair<double, std::function<void()>>>;

/// Threads: one.
class SimulatedEngine {
 public:
  virtual ~SimulatedEngine() = default;
  virtual const Clock& clock() const noexcept = 0;
  virtual SimulatedLaunches& device(std::size_t index) = 0;
  virtual void notify() noexcept = 0;
  /// As Simulation::run.
  virtual Simulation::End run(std::vector<SimulatedStep> steps, SimulatedCalls calls, double limit_s) = 0;
};

/// What all devices of one Simulation share. It outlives its engine.
struct SimulatedSetting {
  SimulatedMachine machine;
  SimulatedLinks links;
  SimulatedLoop loop;
};

std::unique_ptr<SimulatedEngine> make_plain_engine(const SimulatedSetting& setting);
/// Fails: InputError for too many links, and where skua was built without SimGrid.
std::unique_ptr<SimulatedEngine> make_simgrid_engine(const SimulatedSetting& setting);

}  // namespace skua
