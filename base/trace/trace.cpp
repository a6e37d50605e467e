// Writes the trace-event JSON that Perfetto reads.
#include "trace.hpp"

#include <unistd.h>

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <skua/input.hpp>

#include "trace_file.hpp"

namespace skua {
namespace {

// The format counts in microseconds.
double microseconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e3;
}

nlohmann::json event_json(const TraceEvent& event, int group) {
  nlohmann::json json = {
      {"name", event.name}, {"pid", group}, {"tid", event.device}, {"ts", microseconds(event.begin_ns)}};
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

nlohmann::json track_json(int group, std::uint32_t device, const std::string& name) {
  return {{"name", "thread_name"}, {"ph", "M"}, {"pid", group}, {"tid", device}, {"args", {{"name", name}}}};
}

}  // namespace

std::string trace_json(const std::vector<std::pair<std::uint32_t, std::string>>& tracks,
                       const std::vector<TraceEvent>& events) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [device, name] : tracks) {
    list.push_back(track_json(1, device, name));
  }
  for (const TraceEvent& event : events) list.push_back(event_json(event, 1));
  const nlohmann::json document = {{"traceEvents", std::move(list)}, {"displayTimeUnit", "ns"}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string trace_path(const std::string& pattern) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      path += pattern[i];
      continue;
    }
    const char letter = ++i < pattern.size() ? pattern[i] : '\0';
    if (letter == 'p') {
      path += std::to_string(::getpid());
    } else if (letter == 'h') {
      std::array<char, 256> name{};
      path += ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
    } else if (letter == '%') {
      path += '%';
    } else {
      throw InputError("trace file " + pattern + ": behind % may stand p (the process), h (the host) or another %");
    }
  }
  return path;
}

Trace::Trace(const std::string& pattern) : file_(TraceFile::open(trace_path(pattern))), group_(file_->add_group()) {}

Trace::~Trace() {
  flush();
}

const std::string& Trace::note() const noexcept {
  return file_->note();
}

void Trace::name_track(std::uint32_t device, const std::string& name) {
  file_->add({track_json(group_, device, name)});
}

void Trace::add(const std::vector<TraceEvent>& events) {
  std::vector<nlohmann::json> list;
  list.reserve(events.size());
  for (const TraceEvent& event : events) list.push_back(event_json(event, group_));
  file_->add(list);
}

void Trace::flush() {
  file_->flush();
}

}  // namespace skua
