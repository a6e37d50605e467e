// Medians, and how they are shown.
#include <skua/summary.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace skua {
namespace {

using Figure = std::function<double(const SimulationResult&)>;

std::vector<double> sorted(const std::vector<SimulationResult>& results, const Figure& figure) {
  std::vector<double> values;
  for (const SimulationResult& result : results) values.push_back(figure(result));
  std::sort(values.begin(), values.end());
  return values;
}

double median(const std::vector<SimulationResult>& results, const Figure& figure) {
  const std::vector<double> values = sorted(results, figure);
  return values[values.size() / 2];
}

Figure sum_of(std::uint64_t DeviceReport::*field) {
  return [field](const SimulationResult& result) {
    std::uint64_t sum = 0;
    for (const DeviceReport& device : result.report.devices) sum += device.*field;
    return static_cast<double>(sum);
  };
}

std::string shown_seconds(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.3f} ms", seconds * 1e3) : "did not end";
}

nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

}  // namespace

PolicySummary summarize(const std::string& policy, const std::vector<SimulationResult>& results) {
  const Figure efficiency = [](const SimulationResult& result) { return result.efficiency(); };
  const Figure imbalance = [](const SimulationResult& result) { return result.report.imbalance(); };
  PolicySummary summary;
  summary.policy = policy;
  summary.seeds = static_cast<std::uint32_t>(results.size());
  for (const SimulationResult& result : results) summary.ended += result.ended ? 1 : 0;
  summary.makespan_s = median(results, [](const SimulationResult& result) {
    return result.ended ? result.report.makespan_s : std::numeric_limits<double>::infinity();
  });
  summary.lower_bound_s = median(results, [](const SimulationResult& result) { return result.lower_bound_s; });
  summary.efficiency = median(results, efficiency);
  summary.worst_efficiency = sorted(results, efficiency).front();
  summary.imbalance = median(results, imbalance);
  summary.worst_imbalance = sorted(results, imbalance).back();
  summary.steals = median(results, sum_of(&DeviceReport::steals));
  summary.chunks = median(results, sum_of(&DeviceReport::chunks));
  summary.copies = median(results, sum_of(&DeviceReport::copies));
  summary.bytes_moved = median(results, [](const SimulationResult& result) {
    std::uint64_t bytes = 0;
    for (const DeviceReport& device : result.report.devices) bytes += device.bytes_moved.value_or(0);
    return static_cast<double>(bytes);
  });
  return summary;
}

std::string to_text(const std::vector<PolicySummary>& policies) {
  std::vector<PolicySummary> ordered = policies;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const PolicySummary& a, const PolicySummary& b) { return a.makespan_s < b.makespan_s; });
  std::string text = fmt::format("{:<14}{:>15}{:>12}{:>9}{:>11}{:>9}{:>9}{:>8}{:>13}\n", "policy", "makespan",
                                 "efficiency", "worst", "imbalance", "steals", "chunks", "copies", "MB moved");
  for (const PolicySummary& policy : ordered) {
    text += fmt::format("{:<14}{:>15}{:>12.4f}{:>9.4f}{:>9.2f} %{:>9}{:>9}{:>8}{:>13.3f}\n", policy.policy,
                        shown_seconds(policy.makespan_s), policy.efficiency, policy.worst_efficiency,
                        policy.imbalance * 100, policy.steals, policy.chunks, policy.copies, policy.bytes_moved * 1e-6);
  }
  return text;
}

std::string to_json(const std::string& title, const std::vector<PolicySummary>& policies) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PolicySummary& policy : policies) {
    nlohmann::ordered_json one;
    one["policy"] = policy.policy;
    one["seeds"] = policy.seeds;
    one["ended"] = policy.ended;
    one["makespan_s"] = finite_or_null(policy.makespan_s);
    one["lower_bound_s"] = finite_or_null(policy.lower_bound_s);
    one["efficiency"] = policy.efficiency;
    one["worst_efficiency"] = policy.worst_efficiency;
    one["imbalance"] = finite_or_null(policy.imbalance);
    one["worst_imbalance"] = finite_or_null(policy.worst_imbalance);
    one["steals"] = policy.steals;
    one["chunks"] = policy.chunks;
    one["copies"] = policy.copies;
    one["bytes_moved"] = policy.bytes_moved;
    list.push_back(std::move(one));
  }
  nlohmann::ordered_json document;
  document["schema"] = "skua.simulation/1";
  document["title"] = title;
  document["policies"] = std::move(list);
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace skua
