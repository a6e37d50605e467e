// Devices and links of the named scenarios.
#include "scenario_machines.hpp"

#include <map>
#include <utility>

namespace skua {
namespace {

Topology eight_gpus(const std::string& name, std::uint32_t compute_units) {
  Topology topology;
  for (std::uint32_t i = 0; i < 8; ++i) {
    Gpu gpu;
    gpu.name = name;
    gpu.compute_units = compute_units;
    topology.gpus.push_back(std::move(gpu));
  }
  return topology;
}

Link link_between(std::uint32_t from, std::uint32_t to, LinkKind kind, std::uint32_t hops, double gb_per_s) {
  Link link;
  link.from = {from};
  link.to = {to};
  link.kind = kind;
  link.hops = hops;
  if (gb_per_s > 0) link.bandwidth_gb_per_s = gb_per_s;
  return link;
}

}  // namespace

SimulatedMachine equal_machine(std::size_t count, std::uint64_t seed, double jitter) {
  SimulatedMachine machine;
  machine.devices.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    machine.devices[i].name = "simulated:" + std::to_string(i);
    machine.devices[i].jitter = jitter;
    machine.devices[i].seed = seed * count + i;
  }
  return machine;
}

Topology two_hives() {
  Topology topology = eight_gpus("MI100", 120);
  for (std::uint32_t from = 0; from < 8; ++from) {
    topology.gpus[from].hive = from / 4;
    for (std::uint32_t to = 0; to < 8; ++to) {
      if (from == to) continue;
      const bool one_hive = from / 4 == to / 4;
      topology.links.push_back(one_hive ? link_between(from, to, LinkKind::xgmi, 1, 100)
                                        : link_between(from, to, LinkKind::pcie, 2, 25));
    }
  }
  return topology;
}

Topology frontier_node() {
  Topology topology = eight_gpus("MI250X half", 110);
  // Links of 50 GB/s that join each pair directly.
  const std::map<std::pair<std::uint32_t, std::uint32_t>, double> counts = {
      {{0, 1}, 4}, {{2, 3}, 4}, {{4, 5}, 4}, {{6, 7}, 4}, {{0, 2}, 1}, {{0, 6}, 2},
      {{1, 3}, 1}, {{1, 5}, 1}, {{2, 4}, 2}, {{3, 7}, 1}, {{4, 6}, 1}, {{5, 7}, 1}};
  for (std::uint32_t from = 0; from < 8; ++from) {
    topology.gpus[from].hive = 0;
    for (std::uint32_t to = 0; to < 8; ++to) {
      if (from == to) continue;
      const auto found = counts.find(std::minmax(from, to));
      topology.links.push_back(found != counts.end() ? link_between(from, to, LinkKind::xgmi, 1, 50 * found->second)
                                                     : link_between(from, to, LinkKind::xgmi, 2, 0));
    }
  }
  return topology;
}

void join(SimulatedMachine& machine, Topology topology) {
  machine.topology = std::move(topology);
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) machine.devices[i].gpu = GpuId{i};
}

}  // namespace skua
