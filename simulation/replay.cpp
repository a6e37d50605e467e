// From the spans of a trace to costs and rates.
#include <skua/replay.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include <skua/input.hpp>
#include <skua/job_options.hpp>
#include <trace/chunk_event.hpp>

namespace skua {
namespace {

using Json = nlohmann::json;

struct Span {
  ChunkValues values;
  double begin_us = 0;
  std::uint64_t device = 0;
  double duration_us = 0;
};

double number_of(const Json& object, const char* name, const std::string& where) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number() || found->get<double>() < 0) {
    throw InputError(where + ": " + name + " must be a number");
  }
  return found->get<double>();
}

Span read_span(const Json& event, const std::string& where) {
  const Json arguments = event.value("args", Json::object());
  Span span;
  span.begin_us = number_of(event, "ts", where);
  span.duration_us = number_of(event, "dur", where);
  span.device = static_cast<std::uint64_t>(number_of(event, "tid", where));
  // Each Scheduler of a process has its own group of tracks, from 1 on.
  if (event.contains("pid")) {
    span.device += (static_cast<std::uint64_t>(std::max(number_of(event, "pid", where), 1.0)) - 1) << 32;
  }
  for (const auto& [name, value] : arguments.items()) {
    // A trace shows as null what is no number.
    if (value.is_null()) continue;
    span.values.set(name, number_of(arguments, name.c_str(), where));
  }
  if (span.values.items < 1 || span.duration_us <= 0) throw InputError(where + ": a chunk without items or duration");
  return span;
}

/// Ends a document that was cut off behind the last event of its list that is whole.
std::string completed(const std::string& text) {
  const std::size_t list = text.find('[');
  if (list == std::string::npos) return text;
  std::size_t end = list + 1;
  int depth = 0;
  bool is_in_string = false;
  for (std::size_t i = list + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      is_in_string = i >= text.size() || c != '"';
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      end = i + 1;
    }
  }
  return text.substr(0, end) + (text.front() == '{' ? "]}" : "]");
}

struct Events {
  Json list;
  bool was_cut_off = false;
};

Events read_events(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw InputError(path + ": cannot be read");
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  Events events;
  events.list = Json::parse(text, nullptr, false);
  if (events.list.is_discarded()) {
    events.was_cut_off = true;
    events.list = Json::parse(completed(text), nullptr, false);
  }
  if (events.list.is_object()) events.list = Json(events.list.value("traceEvents", Json()));
  if (!events.list.is_array()) throw InputError(path + ": not a trace that skua wrote (no list of events)");
  return events;
}

std::vector<Span> read_spans(const std::string& path, std::vector<std::string>& notes) {
  const Events events = read_events(path);
  std::vector<Span> spans;
  std::size_t index = 0;
  for (const Json& event : events.list) {
    const std::string where = path + ": traceEvents[" + std::to_string(index++) + "]";
    if (!event.is_object()) throw InputError(where + ": not an object");
    if (event.value("ph", Json()) == "X" && event.value("name", Json()) == chunk_event_name) {
      spans.push_back(read_span(event, where));
    }
  }
  if (spans.empty()) throw InputError(path + ": no chunk in it");
  if (events.was_cut_off) {
    notes.push_back(path + ": cut off behind event " + std::to_string(events.list.size()) +
                    "; what is before it is read");
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return std::tie(a.values.first_item, a.begin_us, a.device) < std::tie(b.values.first_item, b.begin_us, b.device);
  });
  return spans;
}

double items_of(const Span& span) {
  return static_cast<double>(span.values.items);
}

struct Sum {
  double items = 0;
  double seconds = 0;
};

/// One cost for each of equally many items, so that short chunks are seen as well as long ones.
std::vector<double> costs_of(const std::vector<Span>& spans, const std::map<std::uint64_t, Sum>& devices,
                             double items) {
  constexpr std::size_t blocks = std::size_t{1} << 16;
  std::vector<double> costs(blocks, 0);
  double at = 0;
  for (const Span& span : spans) {
    const Sum& sum = devices.at(span.device);
    const double cost = span.duration_us * 1e-6 * (sum.items / sum.seconds) / items_of(span);
    const double end = at + items_of(span);
    const auto block_of = [&](double item) { return item / items * static_cast<double>(blocks); };
    for (auto block = static_cast<std::size_t>(block_of(at)); block < blocks; ++block) {
      const double from = std::max(block_of(at), static_cast<double>(block));
      const double until = std::min(block_of(end), static_cast<double>(block + 1));
      if (until <= from) break;
      costs[block] += cost * (until - from);
    }
    at = end;
  }
  return costs;
}

}  // namespace

Scenario read_recorded_run(const std::string& path) {
  Scenario scenario;
  const std::vector<Span> spans = read_spans(path, scenario.notes);
  std::map<std::uint64_t, Sum> devices;
  double items = 0;
  for (const Span& span : spans) {
    devices[span.device].items += items_of(span);
    devices[span.device].seconds += span.duration_us * 1e-6;
    items += items_of(span);
  }
  scenario.name = "replay";
  for (const auto& [number, sum] : devices) {
    SimulatedDevice device;
    const std::uint64_t group = number >> 32;
    device.name = "recorded:" + (group > 0 ? std::to_string(group) + "." : "") + std::to_string(number & 0xffff'ffff);
    device.work_per_second = sum.items / sum.seconds;
    scenario.machine.devices.push_back(std::move(device));
  }
  const auto whole_items = static_cast<std::uint64_t>(items);
  scenario.costs = Costs(whole_items, costs_of(spans, devices, items));
  scenario.granule_items = default_granule_items(whole_items);
  return scenario;
}

}  // namespace skua
