// Measured links as a table and as JSON.
#include <cstdio>

#include <nlohmann/json.hpp>

#include "measure.hpp"

namespace skua {
namespace {

std::string place(const std::optional<GpuId>& gpu) {
  return gpu ? "GPU " + std::to_string(gpu->index) : "host";
}

std::string number(const std::optional<double>& value, double unit) {
  if (!value) return "unknown";
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", *value * unit);
  return text;
}

nlohmann::ordered_json place_json(const std::optional<GpuId>& gpu) {
  return gpu ? nlohmann::ordered_json(gpu->index) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json number_json(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string to_text(const std::vector<MeasuredLink>& links) {
  std::string text = "from      to        measured GB/s  declared GB/s  latency us\n";
  for (const MeasuredLink& link : links) {
    char line[160];
    std::snprintf(line, sizeof(line), "%-8s  %-8s  %13s  %13s  %10s", place(link.from).c_str(), place(link.to).c_str(),
                  number(link.bandwidth_gb_per_s, 1).c_str(), number(link.declared_bandwidth_gb_per_s, 1).c_str(),
                  number(link.latency_s, 1e6).c_str());
    text += line;
    if (!link.note.empty()) text += "  " + link.note;
    text += '\n';
  }
  text += "GB/s: of loads and stores. The GPU on the right reads; to the host, the one on the left writes.\n";
  return text;
}

std::string to_json(const std::vector<MeasuredLink>& links) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MeasuredLink& link : links) {
    list.push_back({{"from", place_json(link.from)},
                    {"to", place_json(link.to)},
                    {"bandwidth_gb_per_s", number_json(link.bandwidth_gb_per_s)},
                    {"latency_s", number_json(link.latency_s)},
                    {"declared_bandwidth_gb_per_s", number_json(link.declared_bandwidth_gb_per_s)},
                    {"by_engine", link.by_engine},
                    {"note", link.note}});
  }
  return nlohmann::ordered_json{{"measured", list}}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace skua
