// Schema skua.machine/1, and defaults from a topology.
#include <skua/described_machine.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <skua/discovery.hpp>
#include <skua/input.hpp>

namespace skua {
namespace {

using Json = nlohmann::json;
constexpr const char* machine_schema = "skua.machine/1";

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) throw InputError(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), {}};
}

Topology read_topology(const std::string& path) {
  DiscoveryOptions options;
  options.file = path;
  return discover(options);
}

/// Lines on which the objects of the list `devices` begin.
std::vector<std::size_t> lines_of_devices(const std::string& text) {
  std::vector<std::size_t> lines;
  std::size_t line = 1;
  int depth = 0;
  bool in_text = false;
  bool in_devices = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (in_text && c == '\\') ++i;
    if (c == '"') {
      in_text = !in_text;
      if (in_text && depth == 1) in_devices = text.compare(i, 9, "\"devices\"") == 0 || in_devices;
    }
    if (in_text) continue;
    if (in_devices && c == '{' && depth == 2) lines.push_back(line);
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (in_devices && c == ']' && depth == 1) break;
  }
  return lines;
}

double number(const Json& value, const std::string& where, double least) {
  if (!value.is_number()) throw InputError(where + " must be a number");
  const auto read = value.get<double>();
  if (!std::isfinite(read) || read < least) throw InputError(where + " must be a number, and not below 0");
  return read;
}

std::uint64_t count(const Json& value, const std::string& where, std::uint64_t count_max) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 || value.get<std::uint64_t>() > count_max) {
    throw InputError(where + " must be a whole number from 1 to " + std::to_string(count_max));
  }
  return value.get<std::uint64_t>();
}

using Set = std::function<void(SimulatedDevice& device, const Json& value, const std::string& where)>;

Set microseconds(double SimulatedDevice::*field) {
  return [field](SimulatedDevice& device, const Json& value, const std::string& where) {
    device.*field = number(value, where, 0) * 1e-6;
  };
}

const std::map<std::string, Set>& fields() {
  static const std::map<std::string, Set> all = {
      {"name",
       [](SimulatedDevice& device, const Json& value, const std::string& where) {
         if (!value.is_string()) throw InputError(where + " must be text");
         device.name = value.get<std::string>();
       }},
      {"gpu", [](SimulatedDevice&, const Json&, const std::string&) {}},
      {"items_per_second",
       [](SimulatedDevice& device, const Json& value, const std::string& where) {
         device.work_per_second = number(value, where, 0);
         if (device.work_per_second <= 0) throw InputError(where + " must be above 0");
       }},
      {"launch_us", microseconds(&SimulatedDevice::launch_s)},
      {"queued_us", [](SimulatedDevice& device, const Json& value,
                       const std::string& where) { device.queued_s = number(value, where, 0) * 1e-6; }},
      {"host_us", microseconds(&SimulatedDevice::host_s)},
      {"look_us", microseconds(&SimulatedDevice::step_s)},
      {"detection_us", microseconds(&SimulatedDevice::detection_s)},
      {"filling_items",
       [](SimulatedDevice& device, const Json& value, const std::string& where) {
         device.filling_items = count(value, where, std::uint64_t{1} << 62);
       }},
      {"jitter",
       [](SimulatedDevice& device, const Json& value, const std::string& where) {
         device.jitter = number(value, where, 0);
         if (device.jitter >= 1) throw InputError(where + " must be below 1");
       }},
      {"launches",
       [](SimulatedDevice& device, const Json& value, const std::string& where) {
         device.launches_max = static_cast<std::uint32_t>(count(value, where, 64));
       }},
  };
  return all;
}

void read_device(const Json& object, const std::string& where, SimulatedDevice& device) {
  for (const auto& [name, value] : object.items()) {
    const auto field = fields().find(name);
    if (field == fields().end()) throw InputError(where + ": unknown field '" + name + "'");
    field->second(device, value, where + ": " + name);
  }
}

/// The device that an entry of `devices` is about; without a topology each entry is one more.
std::size_t place_of(const Json& object, const std::string& where, bool has_topology, SimulatedMachine& machine) {
  if (!object.is_object()) throw InputError(where + ": a device must be an object");
  if (!has_topology) {
    if (object.contains("gpu")) throw InputError(where + ": gpu is named, but the file names no topology");
    machine.devices.emplace_back();
    machine.devices.back().name = "simulated:" + std::to_string(machine.devices.size() - 1);
    return machine.devices.size() - 1;
  }
  const auto gpu = object.find("gpu");
  if (gpu == object.end() || !gpu->is_number_unsigned()) throw InputError(where + ": gpu must be a number");
  if (gpu->get<std::uint64_t>() >= machine.devices.size()) {
    throw InputError(where + ": there is no GPU " + gpu->dump() + " in the topology");
  }
  return gpu->get<std::size_t>();
}

SimulatedMachine machine_of(Topology topology) {
  SimulatedMachine machine;
  for (std::uint32_t i = 0; i < topology.gpus.size(); ++i) {
    SimulatedDevice device;
    device.name = "simulated:" + std::to_string(i);
    device.gpu = GpuId{i};
    device.seed = i;
    device.jitter = 0.01;
    if (const auto units = topology.gpus[i].compute_units; units && *units > 0) {
      device.work_per_second = *units * items_per_second_of_compute_unit;
      device.rate_guess = *units;
    }
    machine.devices.push_back(std::move(device));
  }
  machine.topology = std::move(topology);
  return machine;
}

SimulatedMachine read_description(const Json& json, const std::string& text, const std::string& path) {
  for (const auto& [name, value] : json.items()) {
    if (name != "schema" && name != "topology" && name != "host_threads" && name != "devices") {
      throw InputError(path + ": unknown field '" + name + "'");
    }
  }
  SimulatedMachine machine;
  const bool has_topology = json.contains("topology");
  if (has_topology) {
    if (!json["topology"].is_string()) throw InputError(path + ": topology must name a file");
    const auto folder = std::filesystem::path(path).parent_path();
    machine = machine_of(read_topology((folder / json["topology"].get<std::string>()).string()));
  }
  if (json.contains("host_threads")) {
    machine.host_threads = static_cast<std::uint32_t>(count(json["host_threads"], path + ": host_threads", 1'000'000));
  }
  const Json devices = json.value("devices", Json::array());
  if (!devices.is_array()) throw InputError(path + ": devices must be a list");
  const std::vector<std::size_t> lines = lines_of_devices(text);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string line = i < lines.size() ? ":" + std::to_string(lines[i]) : "";
    const std::string where = path + line + ": devices[" + std::to_string(i) + "]";
    read_device(devices[i], where, machine.devices[place_of(devices[i], where, has_topology, machine)]);
  }
  return machine;
}

}  // namespace

SimulatedMachine read_simulated_machine(const std::string& path, std::optional<std::uint32_t> gpus) {
  const std::string text = read_file(path);
  const Json json = Json::parse(text, nullptr, false);
  const bool is_machine = json.is_object() && json.contains("schema") && json["schema"] == machine_schema;
  SimulatedMachine machine = is_machine ? read_description(json, text, path) : machine_of(read_topology(path));
  if (machine.devices.empty()) throw InputError(path + ": no device in it");
  if (gpus && (*gpus < 1 || *gpus > machine.devices.size())) {
    throw InputError("--gpus " + std::to_string(*gpus) + ": " + path + " has " +
                     std::to_string(machine.devices.size()));
  }
  if (gpus) machine.devices.resize(*gpus);
  return machine;
}

}  // namespace skua
