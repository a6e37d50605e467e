// The Scheduler's public face.
#include <skua/scheduler.hpp>

#include <skua/discovery.hpp>
#include <skua/input.hpp>

#include "crew.hpp"

namespace skua {
namespace {

constexpr std::uint64_t default_granules_max = 8'192;

}  // namespace

std::uint64_t default_granule_items(std::uint64_t items) noexcept {
  std::uint64_t granule = 1;
  while (items / granule > default_granules_max || (items / granule == default_granules_max && items % granule != 0)) {
    granule *= 2;
  }
  return granule;
}

Scheduler::Scheduler(const SchedulerOptions& options) {
  check_environment();
  auto state = std::make_unique<CrewState>();
  state->topology = discover();
  std::string spec = options.devices;
  if (spec.empty()) spec = environment_variable("SKUA_DEVICES").value_or("auto");
  state->devices = open_devices(spec, state->topology, state->clock);
  crew_ = std::make_unique<Crew>(std::move(state), options);
}

Scheduler::Scheduler(Devices devices, const SchedulerOptions& options, Topology topology) {
  check_environment();
  if (devices.empty()) throw InputError("a Scheduler needs at least one device");
  auto state = std::make_unique<CrewState>();
  state->topology = std::move(topology);
  state->devices = std::move(devices);
  crew_ = std::make_unique<Crew>(std::move(state), options);
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
