// Simulated devices and the actors that drive them, over SimGrid.
#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include <skua/input.hpp>
#include <skua/simulated.hpp>

#include "simulated_launches.hpp"

namespace skua {

namespace sg = simgrid::s4u;

struct Simulation::State {
  explicit State(SimulatedMachine described) : machine(std::move(described)), links(machine.topology) {}

  SimulatedMachine machine;
  SimulatedLinks links;
  SimulatedClock clock;
  SimulatedLoop loop;
  std::vector<std::unique_ptr<SimulatedLaunches>> devices;
  std::vector<std::pair<double, std::function<void()>>> calls;
  bool changed = false;
};

Simulation::Simulation(SimulatedMachine machine) {
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
  state_ = std::make_unique<State>(std::move(machine));
  if (state_->links.count() > simulated_links_max) {
    throw InputError("a simulated machine may have " + std::to_string(simulated_links_max) +
                     " links, and this one has " + std::to_string(state_->links.count()));
  }
  simulated_engine();
  state_->clock.begin();
  for (const SimulatedDevice& device : state_->machine.devices) {
    state_->devices.push_back(std::make_unique<SimulatedLaunches>(
        SimulatedLaunches::Context{device, state_->machine, state_->links, state_->loop, state_->clock}));
  }
}

Simulation::~Simulation() = default;

const Clock& Simulation::clock() const noexcept {
  return state_->clock;
}

double Simulation::now_s() const noexcept {
  return state_->clock.now_s();
}

const SimulatedMachine& Simulation::machine() const noexcept {
  return state_->machine;
}

Device& Simulation::device(std::size_t index) {
  return *state_->devices.at(index);
}

std::uint64_t Simulation::bytes_moved(std::size_t index) const {
  return state_->devices.at(index)->bytes_moved();
}

void Simulation::set_loop(SimulatedLoop loop) {
  state_->loop = std::move(loop);
  for (const auto& device : state_->devices) device->forget_bytes();
}

void Simulation::call_at(double at_s, std::function<void()> call) {
  state_->calls.emplace_back(at_s, std::move(call));
}

void Simulation::notify() noexcept {
  state_->changed = true;
}

/// One run: its actors, and which of them wait for what.
class Simulation::Run {
 public:
  Run(State& state, std::vector<SimulatedStep> steps) : state_(state), steps_(std::move(steps)) {
    for (std::size_t i = 0; i < steps_.size(); ++i) hosts_.emplace_back();
    const auto threads = state.machine.host_threads.value_or(static_cast<std::uint32_t>(steps_.size()));
    if (threads < steps_.size()) host_threads_ = sg::Semaphore::create(threads);
  }

  End run(double limit_s) {
    const double begin_s = state_.clock.now_s();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      SimulatedLaunches& device = *state_.devices[i];
      device.on_end = [this, i] { wake(i); };
      sg::Actor::create("device", simulated_home(), [&device] { device.serve(); })->daemonize();
      hosts_[i].actor = sg::Actor::create("host", simulated_home(), [this, i] { drive(i); });
    }
    for (auto& [at_s, call] : std::exchange(state_.calls, {})) {
      sg::Actor::create("call", simulated_home(), [this, until_s = begin_s + at_s, made = std::move(call)] {
        state_.clock.sleep_until_s(until_s);
        made();
        wake_all();
      })->daemonize();
    }
    sg::Actor::create("guard", simulated_home(), [this, until_s = begin_s + limit_s] {
      state_.clock.sleep_until_s(until_s);
      stop(End::limit);
    })->daemonize();
    simulated_engine().run();
    for (std::size_t i = 0; i < steps_.size(); ++i) state_.devices[i]->forget_launches();
    if (failure_) std::rethrow_exception(failure_);
    return end_;
  }

 private:
  struct HostSide {
    sg::ActorPtr actor;
    sg::SemaphorePtr wake = sg::Semaphore::create(0);
    bool is_woken = false;
    bool is_finished = false;
    bool waits_for_completion = false;
  };

  void drive(std::size_t index) {
    try {
      for (;;) {
        const SimulatedWait wait = take_step(index);
        if (std::exchange(state_.changed, false)) wake_all();
        if (wait.what == SimulatedWait::For::finished) break;
        wait_for(wait, index);
      }
    } catch (const std::exception&) {
      failure_ = std::current_exception();
      stop(End::stuck);
    }
    hosts_[index].is_finished = true;
    stop_when_stuck();
  }

  SimulatedWait take_step(std::size_t index) {
    if (host_threads_) host_threads_->acquire();
    const double step_s = state_.machine.devices[index].step_s;
    if (step_s > 0) sg::this_actor::sleep_for(step_s);
    const SimulatedWait wait = steps_[index]();
    if (host_threads_) host_threads_->release();
    return wait;
  }

  void wait_for(const SimulatedWait& wait, std::size_t index) {
    HostSide& host = hosts_[index];
    SimulatedLaunches& device = *state_.devices[index];
    if (wait.what == SimulatedWait::For::nothing) return sg::this_actor::yield();
    if (wait.what == SimulatedWait::For::change) {
      const std::int64_t wait_ns = std::max<std::int64_t>(1, wait.until_ns - state_.clock.now_ns());
      host.wake->acquire_timeout(static_cast<double>(wait_ns) * 1e-9);
      host.is_woken = false;
      return;
    }
    if (!device.has_ended()) {
      host.waits_for_completion = true;
      stop_when_stuck();
      host.wake->acquire();
      host.is_woken = false;
      host.waits_for_completion = false;
    }
    if (!device.has_ended()) return;
    const double detection_s = state_.machine.devices[index].detection_s;
    if (detection_s > 0) state_.clock.sleep_until_s(std::max(state_.clock.now_s(), device.end_s() + detection_s));
  }

  void wake(std::size_t index) {
    HostSide& host = hosts_[index];
    if (std::exchange(host.is_woken, true)) return;
    host.wake->release();
  }

  void wake_all() {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (!hosts_[i].is_finished) wake(i);
    }
  }

  /// Nothing more will happen when all who have not finished wait for launches that never end.
  void stop_when_stuck() {
    bool all_finished = true;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const HostSide& host = hosts_[i];
      if (host.is_finished) continue;
      all_finished = false;
      if (!host.waits_for_completion || host.is_woken || !state_.devices[i]->hangs()) return;
    }
    if (!all_finished) stop(End::stuck);
  }

  void stop(End end) {
    end_ = end;
    for (HostSide& host : hosts_) {
      if (!host.is_finished && host.actor.get() != sg::Actor::self()) host.actor->kill();
      host.is_finished = true;
    }
    if (sg::this_actor::get_name() == "host") sg::this_actor::exit();
  }

  State& state_;
  std::vector<SimulatedStep> steps_;
  std::vector<HostSide> hosts_;
  sg::SemaphorePtr host_threads_;
  std::exception_ptr failure_;
  End end_ = End::finished;
};

Simulation::End Simulation::run(std::vector<SimulatedStep> steps, double limit_s) {
  state_->changed = false;
  return Run(*state_, std::move(steps)).run(limit_s);
}

}  // namespace skua
