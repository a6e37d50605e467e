// The runs as JSON.
#include "runs.hpp"

#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const MeasuredDevice& device) {
  Json changes = Json::array();
  for (const MeasuredChange& change : device.changes) {
    changes.push_back({{"from_s", change.from_s}, {"factor", change.factor}});
  }
  return {{"name", device.name},
          {"items_per_second", device.items_per_second},
          {"filling_items", device.filling_items},
          {"changes", changes}};
}

Json to_json(const MeasuredRun& run) {
  Json devices = Json::array();
  for (const MeasuredDevice& device : run.devices) devices.push_back(to_json(device));
  Json transfer = nullptr;
  if (run.transfer) {
    transfer = {{"bytes_per_item", run.transfer->bytes_per_item},
                {"bandwidth_gb_per_s", run.transfer->bandwidth_gb_per_s}};
  }
  return {{"name", run.name},     {"items", run.items},           {"granule_items", run.granule_items},
          {"policy", run.policy}, {"makespan_s", run.makespan_s}, {"transfer", transfer},
          {"devices", devices}};
}

}  // namespace

void write_runs(const std::string& path, const std::string& machine, const std::vector<MeasuredRun>& runs) {
  Json all = Json::array();
  for (const MeasuredRun& run : runs) all.push_back(to_json(run));
  const Json file = {{"schema", "skua.bench/1"}, {"machine", machine}, {"runs", all}};
  std::ofstream stream(path, std::ios::trunc);
  stream << file.dump(1) << '\n';
  if (!stream.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace bench
