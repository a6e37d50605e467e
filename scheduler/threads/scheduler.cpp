// The Scheduler's public face.
#include <skua/scheduler.hpp>

#include <skua/discovery.hpp>
#include <skua/input.hpp>

#include "crew.hpp"

namespace skua {

Scheduler::Scheduler(const SchedulerOptions& options) {
  check_environment();
  Topology topology = discover();
  std::string spec = options.devices;
  if (spec.empty()) spec = environment_variable("SKUA_DEVICES").value_or("auto");
  auto clock = std::make_unique<SteadyClock>();
  Devices devices = open_devices(spec, topology, *clock);
  crew_ = std::make_unique<Crew>(std::make_shared<CrewState>(std::move(devices), std::move(topology), std::move(clock)),
                                 options);
}

Scheduler::Scheduler(Devices devices, const SchedulerOptions& options, Topology topology) {
  check_environment();
  if (devices.empty()) throw InputError("a Scheduler needs at least one device");
  crew_ = std::make_unique<Crew>(
      std::make_shared<CrewState>(std::move(devices), std::move(topology), std::make_unique<SteadyClock>()), options);
}

Scheduler::~Scheduler() = default;

Report Scheduler::run(std::uint64_t items, std::shared_ptr<const Kernel> kernel, const JobOptions& options,
                      Partials* partials) {
  return crew_->run(items, std::move(kernel), options, partials);
}

std::size_t Scheduler::device_count() const noexcept {
  return crew_->state().devices.size();
}

const DeviceInfo& Scheduler::device(std::size_t index) const {
  return crew_->state().devices.at(index)->info();
}

const Topology& Scheduler::topology() const noexcept {
  return crew_->state().topology;
}

}  // namespace skua
