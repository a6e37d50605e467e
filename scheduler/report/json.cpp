// Schema skua.report/1, written and read: one list of fields for both.
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <type_traits>

#include <skua/input.hpp>
#include <skua/report.hpp>

namespace skua {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// Calls visit(name, field) for each field of a device, in the order in which they are written.
template <class Device, class Visit>
void for_each_field(Device& device, Visit visit) {
  visit("name", device.name);
  visit("items", device.items);
  visit("chunks", device.chunks);
  visit("busy_s", device.busy_s);
  visit("idle_s", device.idle_s);
  visit("last_end_s", device.last_end_s);
  visit("steals", device.steals);
  visit("stolen_items", device.stolen_items);
  visit("copies", device.copies);
  visit("bytes_moved", device.bytes_moved);
  visit("host_s", device.host_s);
  visit("occupancy", device.occupancy);
  visit("smallest_chunk_items", device.smallest_chunk_items);
  visit("items_per_second", device.items_per_second);
  visit("slow_calls", device.slow_calls);
  visit("failed", device.failed);
}

/// Likewise for what a Report says of its Job.
template <class AnyReport, class Visit>
void for_each_job_field(AnyReport& report, Visit visit) {
  visit("name", report.job_name);
  visit("items", report.items);
  visit("granule", report.granule_items);
  visit("policy", report.policy);
  visit("items_done", report.items_done);
  visit("cancelled", report.cancelled);
}

template <class T>
Json value_json(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? Json(*value) : Json(nullptr);
  } else {
    return Json(value);
  }
}

Json device_json(const DeviceReport& device, std::size_t id) {
  Json json = {{"id", id}};
  for_each_field(device, [&](const char* name, const auto& field) { json[name] = value_json(field); });
  if (device.failed) json["failure"] = device.failure;
  return json;
}

/// Reads fields of one object, and names it when one is not what it should be.
class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) throw InputError(where_ + ": is no JSON object");
  }

  template <class T>
  void operator()(const char* name, T& field) const {
    const auto found = object_.find(name);
    if (found == object_.end() || found->is_null()) return;
    try {
      if constexpr (IsOptional<T>::value) {
        field = read<typename T::value_type>(*found);
      } else {
        field = read<T>(*found);
      }
    } catch (const std::exception&) {
      throw InputError(where_ + "." + name + ": " + found->dump().substr(0, 40) + " is no value for it");
    }
  }

 private:
  template <class T>
  static T read(const Json& value) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (!value.is_number_unsigned()) throw std::invalid_argument("no count");
    }
    return value.get<T>();
  }

  const Json& object_;
  std::string where_;
};

const Json& part(const Json& object, const char* name, const std::string& where) {
  const auto found = object.find(name);
  if (found == object.end()) throw InputError(where + ": has no field " + name);
  return *found;
}

std::vector<ItemRange> read_ranges(const Json& list, const std::string& where) {
  std::vector<ItemRange> ranges;
  for (const Json& range : list) {
    const bool is_pair = range.is_array() && range.size() == 2 && range[0].is_number_unsigned() &&
                         range[1].is_number_unsigned() && range[0] <= range[1];
    if (!is_pair) throw InputError(where + ": " + range.dump().substr(0, 40) + " is no range of items");
    ranges.push_back({range[0], range[1]});
  }
  return ranges;
}

}  // namespace

std::string to_json(const Report& report, const std::string& result) {
  Json devices = Json::array();
  for (std::size_t id = 0; id < report.devices.size(); ++id) devices.push_back(device_json(report.devices[id], id));
  Json job = Json::object();
  for_each_job_field(report, [&](const char* name, const auto& field) { job[name] = value_json(field); });
  job["not_done"] = Json::array();
  for (const ItemRange& range : report.not_done) job["not_done"].push_back({range.begin, range.end});
  const Json json = {{"schema", "skua.report/1"},
                     {"job", job},
                     {"makespan_s", report.makespan_s},
                     {"waited_s", report.waited_s},
                     {"lower_bound_s", report.lower_bound_s},
                     {"efficiency", report.efficiency()},
                     {"imbalance", report.imbalance()},
                     {"devices", devices},
                     {"result", Json::parse(result)},
                     {"notes", report.notes}};
  // Device names, notes and bodies' messages may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Report report_from_json(const std::string& text, const std::string& name) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const std::exception& error) {
    throw InputError(name + ": is no JSON: " + error.what());
  }
  const Reader read(json, name);
  std::string schema;
  read("schema", schema);
  if (schema != "skua.report/1") throw InputError(name + ": schema '" + schema + "' is not skua.report/1");
  Report report;
  read("makespan_s", report.makespan_s);
  read("waited_s", report.waited_s);
  read("lower_bound_s", report.lower_bound_s);
  read("notes", report.notes);
  const Json& job = part(json, "job", name);
  for_each_job_field(report, Reader(job, name + ": job"));
  if (job.contains("not_done")) report.not_done = read_ranges(job["not_done"], name + ": job.not_done");
  const Json& devices = part(json, "devices", name);
  for (std::size_t id = 0; devices.is_array() && id < devices.size(); ++id) {
    const Reader read_device(devices[id], name + ": devices[" + std::to_string(id) + "]");
    DeviceReport device;
    for_each_field(device, read_device);
    read_device("failure", device.failure);
    report.devices.push_back(std::move(device));
  }
  return report;
}

}  // namespace skua
