// How fast each unit of a node is alone, and what fills it: what forecasts and ideals are made from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skua/skua.hpp>

#include "node.hpp"
#include "runs.hpp"
#include "timing.hpp"

namespace bench {

/// The items that are on the unit at once, under this reduction.
template <class Value, class Body>
std::uint64_t resident_items(const Body& body, const Unit& unit, std::uint64_t granule) {
  const skua::GpuReduceKernel<Value, Body, skua::Plus> kernel(body, skua::Plus{});
  const auto fit = kernel.fit(unit.ordinal, unit.compute_units, granule);
  return fit ? fit->resident_items : 1;
}

/// Each unit alone over the loop, median of `rounds` Jobs.
template <class Value, class Body>
std::vector<MeasuredDevice> measure_units(const Node& node, const Body& body, std::uint64_t items, int rounds) {
  std::vector<MeasuredDevice> devices;
  for (std::size_t i = 0; i < node.units().size(); ++i) {
    const Unit& unit = node.units()[i];
    skua::Scheduler scheduler = node.scheduler(i, 1);
    std::vector<double> makespans_s;
    for (int round = 0; round <= rounds; ++round) {
      const skua::Report report = scheduler.parallel_reduce(items, Value{}, body).report;
      if (round > 0) makespans_s.push_back(report.makespan_s);  // the first loads the kernel
    }
    MeasuredDevice device;
    device.name = unit.device;
    device.items_per_second = static_cast<double>(items) / median(makespans_s);
    device.filling_items = resident_items<Value>(body, unit, skua::default_granule_items(items));
    devices.push_back(device);
  }
  return devices;
}

/// A run over the first devices of these.
inline MeasuredRun make_run(const std::string& name, std::uint64_t items, const std::vector<MeasuredDevice>& devices,
                            std::size_t count, double makespan_s) {
  MeasuredRun run;
  run.name = name;
  run.items = items;
  run.granule_items = skua::default_granule_items(items);
  run.devices.assign(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(count));
  run.makespan_s = makespan_s;
  return run;
}

}  // namespace bench
