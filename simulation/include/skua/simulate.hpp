// One run of a scenario under one policy, with the real Workers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skua/report.hpp>
#include <skua/scenario.hpp>
#include <trace/trace.hpp>

namespace skua {

struct SimulationOptions {
  std::string policy = "factoring";
  bool traced = false;
  std::optional<double> cancel_at_s;  ///< after the start of the Job
  double limit_s = 600;               ///< of virtual time
};

/// What a run gave.
struct SimulationResult {
  Report report;
  double lower_bound_s = 0;
  bool ended = false;  ///< false: the Job was not over when nothing more could happen, or at the limit
  /// What is wrong with a Job that ended by itself: a granule that was not counted once, or a reduction whose bits are
  /// not those of one device. Empty when all is right.
  std::string fault;
  std::vector<TraceEvent> trace;
  std::vector<std::pair<std::uint32_t, std::string>> tracks;

  double efficiency() const noexcept;  ///< lower bound over makespan; 0 for a Job that did not end
};

/// Threads: one of the process at a time.
/// Fails: InputError for a policy that there is not, and for machines that cannot be simulated.
SimulationResult simulate(const Scenario& scenario, const SimulationOptions& options);

}  // namespace skua
