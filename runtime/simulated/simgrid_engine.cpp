// Virtual time by SimGrid: two actors a device, one that runs its launches and one that calls its step function.
#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <utility>

#include <skua/input.hpp>

#include "engine.hpp"
#include "simgrid_launches.hpp"

namespace skua {
namespace {

namespace sg = simgrid::s4u;
using End = Simulation::End;

class SimGridEngine final : public SimulatedEngine {
 public:
  explicit SimGridEngine(const SimulatedSetting& setting) : setting_(setting) {
    for (std::size_t i = 0; i < setting.machine.devices.size(); ++i) devices_.emplace_back(setting, i, clock_);
  }

  const Clock& clock() const noexcept override { return clock_; }
  SimulatedLaunches& device(std::size_t index) override { return devices_[index]; }
  void notify() noexcept override { is_changed_ = true; }

  End run(std::vector<SimulatedStep> steps, SimulatedCalls calls, double limit_s) override {
    begin_run(std::move(steps));
    const std::int64_t begin_ns = clock_.now_ns();
    const auto after_ns = [&](double seconds) {
      return simulated_ns(std::min(seconds, 1e5)) - Simulation::start_ns + begin_ns;
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      SimGridLaunches& device = devices_[i];
      device.on_end = [this, i] { wake(i); };
      sg::Actor::create("device", simgrid_home(), [&device] { device.serve(); })->daemonize();
      sg::Actor::create("host", simgrid_home(), [this, i] { drive(i); });
    }
    calls_left_ = calls.size();
    for (auto& [at_s, call] : calls) {
      sg::Actor::create("call", simgrid_home(), [this, until_ns = after_ns(at_s), made = std::move(call)] {
        clock_.sleep_until(until_ns);
        make_call(made);
      })->daemonize();
    }
    sg::Actor::create("guard", simgrid_home(), [this, until_ns = after_ns(limit_s)] {
      clock_.sleep_until(until_ns);
      stop(End::limit);
    })->daemonize();
    simgrid_engine().run();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return end_;
  }

 private:
  struct HostSide {
    sg::SemaphorePtr wake = sg::Semaphore::create(0);
    bool is_woken = false;
    bool is_finished = false;
    bool waits_for_completion = false;
  };

  void begin_run(std::vector<SimulatedStep> steps) {
    steps_ = std::move(steps);
    hosts_ = std::vector<HostSide>(steps_.size());
    const auto threads = setting_.machine.host_threads.value_or(static_cast<std::uint32_t>(steps_.size()));
    host_threads_ = threads < steps_.size() ? sg::Semaphore::create(threads) : nullptr;
    end_ = End::finished;
    is_changed_ = false;
    is_stopping_ = false;
  }

  /// An actor that is to end goes by itself, after its step: what it is in the middle of would take being killed for a
  /// failure of its own.
  void drive(std::size_t index) {
    try {
      while (!is_stopping_) {
        const SimulatedWait wait = take_step(index);
        look_round();
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
    const double step_s = setting_.machine.devices[index].step_s;
    if (step_s > 0) sg::this_actor::sleep_for(step_s);
    const SimulatedWait wait = steps_[index]();
    if (host_threads_) host_threads_->release();
    return wait;
  }

  void make_call(const std::function<void()>& call) {
    try {
      call();
    } catch (const std::exception&) {
      failure_ = std::current_exception();
      stop(End::stuck);
    }
    --calls_left_;
    look_round();
    stop_when_stuck();
  }

  /// What is dropped ends early; and whoever waits looks again when something has changed.
  void look_round() {
    const bool is_changed = std::exchange(is_changed_, false);
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (!hosts_[i].is_finished && (devices_[i].look_at_drops() || is_changed)) wake(i);
    }
  }

  void wait_for(const SimulatedWait& wait, std::size_t index) {
    HostSide& host = hosts_[index];
    SimGridLaunches& device = devices_[index];
    if (wait.what == SimulatedWait::For::nothing) return sg::this_actor::yield();
    if (wait.what == SimulatedWait::For::change) {
      const std::int64_t wait_ns = std::max<std::int64_t>(1, wait.until_ns - clock_.now_ns());
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
    const double detection_s = setting_.machine.devices[index].detection_s;
    if (detection_s > 0) clock_.sleep_until(device.next_end_ns() + simulated_ns(detection_s) - Simulation::start_ns);
  }

  void wake(std::size_t index) {
    if (!std::exchange(hosts_[index].is_woken, true)) hosts_[index].wake->release();
  }

  /// Nothing more will happen when all who have not finished wait for launches that never end.
  void stop_when_stuck() {
    if (calls_left_ > 0 || is_stopping_) return;
    bool all_finished = true;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const HostSide& host = hosts_[i];
      if (host.is_finished) continue;
      all_finished = false;
      if (!host.waits_for_completion || host.is_woken || !devices_[i].hangs()) return;
    }
    if (!all_finished) stop(End::stuck);
  }

  void stop(End end) {
    if (std::exchange(is_stopping_, true)) return;
    end_ = end;
    for (std::size_t i = 0; i < hosts_.size(); ++i) wake(i);
  }

  const SimulatedSetting& setting_;
  SimGridClock clock_;
  std::deque<SimGridLaunches> devices_;
  std::vector<SimulatedStep> steps_;
  std::vector<HostSide> hosts_;
  sg::SemaphorePtr host_threads_;
  std::size_t calls_left_ = 0;
  std::exception_ptr failure_;
  End end_ = End::finished;
  bool is_changed_ = false;
  bool is_stopping_ = false;
};

}  // namespace

std::unique_ptr<SimulatedEngine> make_simgrid_engine(const SimulatedSetting& setting) {
  if (setting.links.count() > simgrid_links_max) {
    throw InputError("a simulated machine may have " + std::to_string(simgrid_links_max) + " links, and this one has " +
                     std::to_string(setting.links.count()));
  }
  return std::make_unique<SimGridEngine>(setting);
}

}  // namespace skua
