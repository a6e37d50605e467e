// Writes the trace-event JSON that Perfetto reads.
#include "trace.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include <skua/input.hpp>

namespace skua {
namespace {

// The format counts in microseconds.
double microseconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e3;
}

nlohmann::json event_json(const TraceEvent& event) {
  nlohmann::json json = {{"name", event.name}, {"pid", 1}, {"tid", event.device}, {"ts", microseconds(event.begin_ns)}};
  if (event.end_ns > event.begin_ns) {
    json["ph"] = "X";
    json["dur"] = microseconds(event.end_ns - event.begin_ns);
  } else {
    json["ph"] = "i";
    json["s"] = "t";
  }
  for (const auto& [name, value] : event.values) json["args"][name] = value;
  return json;
}

}  // namespace

std::string trace_json(const std::vector<std::pair<std::uint32_t, std::string>>& tracks,
                       const std::vector<TraceEvent>& events) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [device, name] : tracks) {
    list.push_back({{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", device}, {"args", {{"name", name}}}});
  }
  for (const TraceEvent& event : events) list.push_back(event_json(event));
  const nlohmann::json document = {{"traceEvents", std::move(list)}, {"displayTimeUnit", "ns"}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Trace::Trace(std::string path) : path_(std::move(path)) {
  if (!std::ofstream(path_, std::ios::app)) throw InputError("trace file " + path_ + " cannot be written");
}

Trace::~Trace() {
  flush();
}

void Trace::name_track(std::uint32_t device, const std::string& name) {
  const std::lock_guard lock(mutex_);
  tracks_.emplace_back(device, name);
}

void Trace::add(std::vector<TraceEvent> events) {
  const std::lock_guard lock(mutex_);
  events_.insert(events_.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
}

void Trace::flush() {
  const std::lock_guard lock(mutex_);
  std::ofstream file(path_, std::ios::trunc);
  file << trace_json(tracks_, events_) << '\n' << std::flush;
  // Who destroys it cannot be thrown at.
  if (!file && !std::exchange(has_told_, true)) {
    std::fprintf(stderr, "skua: trace file %s could not be written whole\n", path_.c_str());
  }
}

}  // namespace skua
