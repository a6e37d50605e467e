// The Report's figures, table and JSON.
#include <skua/report.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace skua {
namespace {

/// "12.3 ms": a time as people read it.
std::string seconds_text(double seconds) {
  if (seconds == 0) return "0";
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

/// Device names, notes and bodies' messages may hold any bytes.
std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json device_json(const DeviceReport& device, std::size_t id) {
  nlohmann::ordered_json json = {{"id", id},
                                 {"name", device.name},
                                 {"items", device.items},
                                 {"chunks", device.chunks},
                                 {"busy_s", device.busy_s},
                                 {"idle_s", device.idle_s},
                                 {"steals", device.steals},
                                 {"stolen_items", device.stolen_items},
                                 {"copies", device.copies},
                                 {"bytes_moved", device.bytes_moved},
                                 {"host_s", device.host_s},
                                 {"occupancy", or_null(device.occupancy)},
                                 {"smallest_chunk_items", or_null(device.smallest_chunk_items)},
                                 {"items_per_second", or_null(device.items_per_second)},
                                 {"slow_calls", device.slow_calls},
                                 {"failed", device.failed}};
  if (device.failed) json["failure"] = device.failure;
  return json;
}

}  // namespace

double Report::efficiency() const noexcept {
  return makespan_s > 0 ? lower_bound_s / makespan_s : 1;
}

double Report::imbalance() const noexcept {
  double sum = 0;
  double shortest = 0;
  double longest = 0;
  unsigned count = 0;
  for (const DeviceReport& device : devices) {
    if (device.failed) continue;
    shortest = count == 0 ? device.busy_s : std::min(shortest, device.busy_s);
    longest = std::max(longest, device.busy_s);
    sum += device.busy_s;
    ++count;
  }
  return sum > 0 ? (longest - shortest) * count / sum : 0;
}

std::string to_text(const Report& report) {
  std::size_t width = 6;
  for (const DeviceReport& device : report.devices) width = std::max(width, device.name.size());
  std::string text = fmt::format("{}: {} items in granules of {}, policy {}\n", report.job_name, report.items,
                                 report.granule_items, report.policy);
  text += fmt::format("{:<{}}  {:>20} {:>6} {:>7} {:>10} {:>10} {:>7} {:>20} {:>10}\n", "device", width, "items",
                      "share", "chunks", "busy", "idle", "steals", "stolen items", "host");
  for (const DeviceReport& device : report.devices) {
    const double share =
        report.items_done > 0 ? 100.0 * static_cast<double>(device.items) / static_cast<double>(report.items_done) : 0;
    text += fmt::format("{:<{}}  {:>20} {:>5.1f}% {:>7} {:>10} {:>10} {:>7} {:>20} {:>10}{}\n", device.name, width,
                        device.items, share, device.chunks, seconds_text(device.busy_s), seconds_text(device.idle_s),
                        device.steals, device.stolen_items, seconds_text(device.host_s),
                        device.failed ? "  FAILED: " + device.failure : "");
  }
  text += fmt::format("makespan {}, lower bound {}, efficiency {:.3f}, imbalance {:.1f} %\n",
                      seconds_text(report.makespan_s), seconds_text(report.lower_bound_s), report.efficiency(),
                      100 * report.imbalance());
  if (report.cancelled) {
    text += fmt::format("cancelled: {} of {} items done; not done:", report.items_done, report.items);
    for (const ItemRange& range : report.not_done) text += fmt::format(" [{}, {})", range.begin, range.end);
    text += '\n';
  }
  for (const std::string& note : report.notes) text += "note: " + note + '\n';
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Report& report) {
  return stream << to_text(report);
}

std::string to_json(const Report& report, const std::string& result) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (std::size_t id = 0; id < report.devices.size(); ++id) devices.push_back(device_json(report.devices[id], id));
  nlohmann::ordered_json not_done = nlohmann::ordered_json::array();
  for (const ItemRange& range : report.not_done) not_done.push_back({range.begin, range.end});
  const nlohmann::ordered_json json = {{"schema", "skua.report/1"},
                                       {"job",
                                        {{"name", report.job_name},
                                         {"items", report.items},
                                         {"granule", report.granule_items},
                                         {"policy", report.policy},
                                         {"items_done", report.items_done},
                                         {"cancelled", report.cancelled},
                                         {"not_done", not_done}}},
                                       {"makespan_s", report.makespan_s},
                                       {"lower_bound_s", report.lower_bound_s},
                                       {"efficiency", report.efficiency()},
                                       {"imbalance", report.imbalance()},
                                       {"devices", devices},
                                       {"result", nlohmann::ordered_json::parse(result)},
                                       {"notes", report.notes}};
  return dump(json);
}

}  // namespace skua
