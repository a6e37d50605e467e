// A described machine, and the engine that keeps its time.
#include <algorithm>
#include <cmath>
#include <utility>

#include <skua/input.hpp>

#include "engine.hpp"

namespace skua {
namespace {

void check(const SimulatedMachine& machine) {
  if (machine.devices.empty()) throw InputError("a simulated machine needs at least one device");
  for (const SimulatedDevice& device : machine.devices) {
    const bool is_rate = std::isfinite(device.work_per_second) && device.work_per_second > 0;
    if (!is_rate) throw InputError("device " + device.name + ": its rate must be a number above 0");
  }
  for (const Link& link : machine.topology.links) {
    if (link.bandwidth_gb_per_s && !(*link.bandwidth_gb_per_s > 0)) {
      throw InputError("link from GPU " + std::to_string(link.from.index) + " to GPU " + std::to_string(link.to.index) +
                       ": its bandwidth must be above 0");
    }
  }
}

}  // namespace

std::vector<SimulationEngine> simulation_engines() {
#ifdef SKUA_HAS_SIMGRID
  return {SimulationEngine::simgrid, SimulationEngine::plain};
#else
  return {SimulationEngine::plain};
#endif
}

std::string to_text(SimulationEngine engine) {
  return engine == SimulationEngine::simgrid ? "simgrid" : "plain";
}

SimulationEngine parse_simulation_engine(const std::string& text) {
  std::string names;
  for (const SimulationEngine engine : simulation_engines()) {
    if (text == to_text(engine)) return engine;
    names += (names.empty() ? "" : ", ") + to_text(engine);
  }
  throw InputError("--engine " + text + ": not there; there are " + names);
}

struct Simulation::State {
  SimulatedSetting setting;
  SimulatedCalls calls;
  std::unique_ptr<SimulatedEngine> engine;
};

Simulation::Simulation(SimulatedMachine machine, SimulationEngine engine) {
  check(machine);
  SimulatedLinks links(machine.topology);
  state_.reset(new State{{std::move(machine), std::move(links), {}}, {}, nullptr});
  const SimulatedSetting& setting = state_->setting;
  state_->engine = engine == SimulationEngine::simgrid ? make_simgrid_engine(setting) : make_plain_engine(setting);
}

Simulation::~Simulation() = default;

const Clock& Simulation::clock() const noexcept {
  return state_->engine->clock();
}

double Simulation::now_s() const noexcept {
  return simulated_s(clock().now_ns());
}

const SimulatedMachine& Simulation::machine() const noexcept {
  return state_->setting.machine;
}

Device& Simulation::device(std::size_t index) {
  return state_->engine->device(index);
}

std::uint64_t Simulation::bytes_moved(std::size_t index) const {
  return state_->engine->device(index).bytes_moved();
}

void Simulation::set_loop(SimulatedLoop loop) {
  state_->setting.loop = std::move(loop);
  for (std::size_t i = 0; i < machine().devices.size(); ++i) state_->engine->device(i).forget_bytes();
}

void Simulation::call_at(double at_s, std::function<void()> call) {
  state_->calls.emplace_back(at_s, std::move(call));
}

void Simulation::notify() noexcept {
  state_->engine->notify();
}

Simulation::End Simulation::run(std::vector<SimulatedStep> steps, double limit_s) {
  // Also when a step throws.
  struct Forgets {
    State& state;
    ~Forgets() {
      for (std::size_t i = 0; i < state.setting.machine.devices.size(); ++i) state.engine->device(i).forget_launches();
    }
  } const forgets{*state_};
  return state_->engine->run(std::move(steps), std::exchange(state_->calls, {}), limit_s);
}

}  // namespace skua
