// The Scheduler's public face.
#include <skua/scheduler.hpp>

#include <optional>
#include <string_view>

#include <skua/discovery.hpp>
#include <skua/input.hpp>

#include "crew.hpp"

namespace skua {

namespace {

/// What is wrong with devices, in the words of who named them: "devices cuda:0: why" becomes "SKUA_DEVICES cuda:0:
/// why".
std::string in_words_of(const std::string& name, const std::string& text) {
  constexpr std::string_view word = "devices ";
  return text.starts_with(word) ? name + ' ' + text.substr(word.size()) : name + ": " + text;
}

Devices open(const std::string& option, const Topology& topology, const Clock& clock, const OpenOptions& opening) {
  const auto variable = option.empty() ? environment_variable("SKUA_DEVICES") : std::nullopt;
  if (option.empty() && !variable) return open_devices("auto", topology, clock, opening);
  try {
    return open_devices(variable.value_or(option), topology, clock, opening);
  } catch (const InputError& error) {
    throw InputError(in_words_of(variable ? "SKUA_DEVICES" : "SchedulerOptions::devices", error.what()));
  }
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options) {
  Topology topology = discover();
  auto clock = std::make_unique<SteadyClock>();
  OpenOptions opening;
  opening.peers = options.peers;
  Devices devices = open(options.devices, topology, *clock, opening);
  crew_ = std::make_unique<Crew>(std::make_shared<CrewState>(std::move(devices), std::move(topology), std::move(clock)),
                                 options);
}

Scheduler::Scheduler(Over over, const SchedulerOptions& options, Topology topology) {
  if (over.devices.empty()) throw InputError("a Scheduler needs at least one device");
  crew_ = std::make_unique<Crew>(
      std::make_shared<CrewState>(std::move(over.devices), std::move(topology), std::make_unique<SteadyClock>()),
      options);
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
