// Reads and simulates measured runs.
#include "measured_runs.hpp"

#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include <skua/simulate.hpp>

namespace skua {
namespace {

using Json = nlohmann::json;

// What launches cost on an H200 (bench/gpu/loops_bench.cpp).
constexpr double launch_s = 8e-6;
constexpr double host_s = 4e-6;
constexpr double detection_s = 1e-6;

SimulatedDevice read_device(const Json& json) {
  SimulatedDevice device;
  device.name = json.at("name");
  device.work_per_second = json.at("items_per_second");
  device.rate_guess = device.work_per_second;
  device.launch_s = launch_s;
  device.queued_s = 0;
  device.host_s = host_s;
  device.detection_s = detection_s;
  device.filling_items = json.at("filling_items");
  for (const Json& change : json.at("changes")) {
    device.changes.push_back({change.at("from_s"), change.at("factor")});
  }
  return device;
}

/// All items lie with the last device, which runs none.
void add_transfer(const Json& json, Scenario& scenario) {
  auto& devices = scenario.machine.devices;
  auto& topology = scenario.machine.topology;
  scenario.bytes_per_item = json.at("bytes_per_item");
  topology.gpus.resize(devices.size());
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    devices[i].gpu = GpuId{i};
    devices[i].launches_max = 1;  // these benches copy one piece after the other
    scenario.homes.push_back(0);
    scenario.placement.push_back(i + 1 < devices.size() ? 1 : 0);
    for (std::uint32_t j = 0; j < devices.size(); ++j) {
      if (i == j) continue;
      Link link;
      link.from = GpuId{i};
      link.to = GpuId{j};
      link.kind = LinkKind::nvlink;
      link.hops = 1;
      link.bandwidth_gb_per_s = json.at("bandwidth_gb_per_s").get<double>();
      topology.links.push_back(link);
    }
  }
}

MeasuredRun read_run(const Json& json) {
  MeasuredRun run;
  run.name = json.at("name");
  run.policy = json.at("policy");
  run.makespan_s = json.at("makespan_s");
  run.scenario.name = run.name;
  run.scenario.costs = Costs(json.at("items").get<std::uint64_t>(), {1.0});
  run.scenario.granule_items = json.at("granule_items");
  run.scenario.jobs_before = 1;
  for (const Json& device : json.at("devices")) run.scenario.machine.devices.push_back(read_device(device));
  if (!json.at("transfer").is_null()) add_transfer(json.at("transfer"), run.scenario);
  return run;
}

SimulationResult simulate_well(const Scenario& scenario, const std::string& policy) {
  SimulationOptions options;
  options.policy = policy;
  SimulationResult result = simulate(scenario, options);
  if (!result.ended) throw std::runtime_error(scenario.name + ": the simulated Job did not end");
  if (!result.fault.empty()) throw std::runtime_error(scenario.name + ": " + result.fault);
  return result;
}

}  // namespace

std::vector<MeasuredRun> read_measured_runs(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(path + ": cannot be read");
  try {
    const Json json = Json::parse(stream);
    if (json.at("schema") != "skua.bench/1") throw std::runtime_error("its schema is not skua.bench/1");
    std::vector<MeasuredRun> runs;
    for (const Json& run : json.at("runs")) runs.push_back(read_run(run));
    return runs;
  } catch (const std::exception& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

double forecast_makespan_s(const MeasuredRun& run) {
  // Changes are told from the begin of the Job; the simulation's time begins with the Job before.
  Scenario first = run.scenario;
  first.jobs_before = 0;
  for (SimulatedDevice& device : first.machine.devices) device.changes.clear();
  const double begin_s = simulate_well(first, run.policy).report.makespan_s;
  Scenario scenario = run.scenario;
  for (SimulatedDevice& device : scenario.machine.devices) {
    for (RateChange& change : device.changes) change.from_s += begin_s;
  }
  return simulate_well(scenario, run.policy).report.makespan_s;
}

}  // namespace skua
