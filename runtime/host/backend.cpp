// The host's cores as devices: each a group of CPUs near one another.
#include "backend.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <skua/discovery.hpp>
#include <skua/input.hpp>

#include "host_device.hpp"

namespace skua {
namespace {

constexpr std::uint64_t host_devices_max = 4096;

/// The CPUs that this process may use, node by node, so that neighbours in the list are near one another.
std::vector<unsigned> cpus_by_node(const Topology& topology, const CpuSet& allowed) {
  std::vector<unsigned> ordered;
  for (const NumaNode& node : topology.numa_nodes) {
    const CpuSet here = node.cpus.intersection(allowed);
    ordered.insert(ordered.end(), here.cpus().begin(), here.cpus().end());
  }
  for (const unsigned cpu : allowed.cpus()) {
    if (std::find(ordered.begin(), ordered.end(), cpu) == ordered.end()) ordered.push_back(cpu);
  }
  return ordered;
}

std::optional<NumaId> node_of(const Topology& topology, const CpuSet& cpus) {
  for (const NumaNode& node : topology.numa_nodes) {
    if (!cpus.empty() && node.cpus.intersection(cpus) == cpus) return node.id;
  }
  return std::nullopt;
}

std::uint64_t device_count(const std::string& argument, const Topology& topology, const CpuSet& allowed) {
  if (argument.empty()) {
    const auto used = std::count_if(topology.numa_nodes.begin(), topology.numa_nodes.end(),
                                    [&](const NumaNode& node) { return !node.cpus.intersection(allowed).empty(); });
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(used));
  }
  // "2,3" is what is left of "host:2;host:3".
  std::uint64_t count = 0;
  for (std::size_t begin = 0; begin <= argument.size();) {
    const std::size_t end = std::min(argument.find(',', begin), argument.size());
    const std::uint64_t more = parse_count(argument.substr(begin, end - begin), "devices host:" + argument);
    if (more == 0 || more > host_devices_max || (count += more) > host_devices_max) {
      throw InputError("devices host:" + argument + ": give 1 to " + std::to_string(host_devices_max) + " devices");
    }
    begin = end + 1;
  }
  return count;
}

/// `count` of them, from all over the list.
std::vector<unsigned> some_of(const std::vector<unsigned>& cpus, std::uint64_t count) {
  std::vector<unsigned> some;
  for (std::uint64_t i = 0; i < count && i < cpus.size(); ++i) some.push_back(cpus[i * cpus.size() / count]);
  return some;
}

Devices open_with_notes(const std::string& argument, const Topology& topology, const Clock& clock,
                        const OpenOptions& options, const std::vector<std::string>& notes) {
  const HostCpus host = topology.host.allowed ? topology.host : discover_host_cpus();
  const CpuSet allowed = host.allowed.value_or(CpuSet{});
  const std::uint64_t count = device_count(argument, topology, allowed);
  std::vector<unsigned> cpus = cpus_by_node(topology, allowed);
  std::uint64_t usable = host.usable_count();
  // The caller's thread waits awake beside those that drive GPUs.
  const std::uint64_t driving = options.driving_threads > 0 ? options.driving_threads + std::uint64_t{1} : 0;
  if (driving > 0 && usable > driving && count <= usable - driving && usable <= cpus.size()) {
    usable -= driving;
    cpus = some_of(cpus, usable);
  }
  Devices devices;
  for (std::uint64_t i = 0; i < count; ++i) {
    DeviceInfo info;
    info.name = "host:" + std::to_string(i);
    info.kind = "host";
    // Devices that must share CPUs are left to the operating system, which moves them to where time is free.
    const bool own_cpus = count <= usable && count <= cpus.size();
    info.cpus =
        own_cpus
            ? CpuSet(std::vector<unsigned>(cpus.begin() + static_cast<std::ptrdiff_t>(i * cpus.size() / count),
                                           cpus.begin() + static_cast<std::ptrdiff_t>((i + 1) * cpus.size() / count)))
            : allowed;
    info.numa_node = node_of(topology, *info.cpus);
    const std::uint64_t cores = own_cpus ? (i + 1) * usable / count - i * usable / count : 1;
    // A second chunk would only wait, out of the reach of thieves.
    info.can.launches_max = 1;
    info.can.slots_max = static_cast<std::uint32_t>(cores);
    info.can.runs_in_poll = true;
    info.can.stops_at_granules = true;
    info.can.reaches_host_memory = true;
    info.rate_guess = static_cast<double>(cores);
    if (i == 0) info.notes = notes;
    devices.push_back(std::make_unique<HostDevice>(std::move(info), static_cast<unsigned>(cores), clock));
  }
  return devices;
}

}  // namespace

Devices open_host(const std::string& argument, const Topology& topology, const Clock& clock,
                  const OpenOptions& options) {
  return open_with_notes(argument, topology, clock, options, {});
}

Devices open_host_instead(const std::string& note, const Topology& topology, const Clock& clock) {
  return open_with_notes("", topology, clock, {}, {note});
}

}  // namespace skua
