// What many seeds of one scenario under one policy gave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skua/simulate.hpp>

namespace skua {

/// Medians over seeds, and the worst.
struct PolicySummary {
  std::string policy;
  std::uint32_t seeds = 0;
  std::uint32_t ended = 0;  ///< of the seeds; the figures are over all of them
  double makespan_s = 0;    ///< infinite when the median run did not end
  double lower_bound_s = 0;
  double efficiency = 0;
  double worst_efficiency = 0;
  double imbalance = 0;
  double worst_imbalance = 0;
  double steals = 0;
  double chunks = 0;
  double copies = 0;
  double bytes_moved = 0;
};

/// `results` are not empty.
PolicySummary summarize(const std::string& policy, const std::vector<SimulationResult>& results);

/// A table, the best policy first.
std::string to_text(const std::vector<PolicySummary>& policies);
/// Schema skua.simulation/1. `title`: the scenario, or the file of the machine.
std::string to_json(const std::string& title, const std::vector<PolicySummary>& policies);

}  // namespace skua
