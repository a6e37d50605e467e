// What is known of the devices before the first Job.
#include "crew_state.hpp"

#include <algorithm>

#include <skua/discovery.hpp>
#include <skua/input.hpp>

namespace skua {
namespace {

std::vector<const DeviceInfo*> infos_of(const Devices& devices) {
  std::vector<const DeviceInfo*> infos;
  for (const auto& device : devices) infos.push_back(&device->info());
  return infos;
}

std::optional<GpuAddress> address_of(const DeviceInfo& info, const Topology& topology) {
  if (!info.gpu || info.gpu->index >= topology.gpus.size()) return std::nullopt;
  const Gpu& gpu = topology.gpus[info.gpu->index];
  return gpu.pci ? std::optional(GpuAddress{*gpu.pci, gpu.partition}) : std::nullopt;
}

}  // namespace

CrewState::CrewState(Devices opened, Topology graph, std::unique_ptr<SteadyClock> steady)
    : clock(std::move(steady)),
      topology(std::move(graph)),
      devices(std::move(opened)),
      nearness(infos_of(devices), topology),
      rates(devices.size()),
      sampler(*clock),
      notes(unknown_variables()) {
  // What spins must not take the cores of bodies, nor these those of what drives a GPU.
  std::uint64_t cores = 0;
  bool any_warm = false;
  for (const auto& device : devices) {
    const Capabilities& can = device->info().can;
    any_warm = any_warm || can.stays_warm;
    cores += can.runs_in_poll ? can.slots_max : 1;
  }
  is_warm = any_warm && cores < discover_host_cpus().usable_count();
  for (const auto& device : devices) {
    members.emplace_back().notes = device->info().notes;
    addresses.push_back(address_of(device->info(), topology));
    if (addresses.back()) sampler.watch(*addresses.back());
  }
}

void CrewState::changed() noexcept {
  for (Member& member : members) {
    if (member.has_a_part.load(std::memory_order_acquire)) member.parking.notify_all();
  }
  caller.notify_all();
}

}  // namespace skua
