// One run of a scenario under one policy, with the real scheduler.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <skua/detail/interval.hpp>
#include <skua/report.hpp>
#include <skua/scenario.hpp>

namespace skua {

/// What one device's host side did in one look.
struct SimulatedLook {
  std::uint32_t device = 0;
  double at_s = 0;               ///< after the start of the Job
  bool finds_nothing = false;    ///< it holds nothing, and waits for something to do
  std::uint64_t items_left = 0;  ///< in all Shares
};

/// Granules of the loop that a Job receives while it runs, from elsewhere.
struct LateGranules {
  double at_s = 0;  ///< after the start of the Job
  Interval granules;
};

struct SimulationOptions {
  SimulationEngine engine = simulation_engines().front();
  std::string policy = "factoring";
  bool traced = false;
  std::optional<double> cancel_at_s{};   ///< after the start of the Job
  double limit_s = 600;                  ///< of virtual time
  std::optional<Interval> own{};         ///< the granules that the Job begins with; nullopt: all of the loop
  std::vector<LateGranules> received{};  ///< the Job does not end before it has them all
  std::function<void(const SimulatedLook&)> on_look{};  ///< called after each look of the last Job
};

/// A launch that ended.
struct SimulatedChunk {
  std::uint32_t device = 0;
  bool is_copy = false;
  ItemRange items;
  double begin_s = 0;  ///< after the start of the first Job
  double end_s = 0;
};

/// What a run gave.
struct SimulationResult {
  /// Times are those of a caller who waits until the last device has left the Job. Where a device hangs, until nothing
  /// more could happen.
  Report report;
  double lower_bound_s = 0;  ///< of the whole loop
  double begin_s = 0;        ///< of this Job, after the start of the first
  bool ended = false;        ///< false: the Job was not over when nothing more could happen, or at the limit
  /// What is wrong: a granule that was not counted once, a Report that says of a granule what is not so, or a reduction
  /// whose bits are not those of one device. Empty when all is right.
  std::string fault;
  std::vector<SimulatedChunk> chunks;  ///< by device, in order of time; empty unless traced
  std::string trace;                   ///< JSON that Perfetto opens; empty unless traced

  double efficiency() const noexcept;  ///< lower bound over makespan; 0 for a Job that did not end
  /// The same, until all was counted: without the wait for what ran in vain.
  double efficiency_until_counted() const noexcept;
};

/// Threads: one of the process at a time over SimGrid; any over the plain engine.
/// Fails: InputError for a policy or an engine that there is not, and for machines that cannot be simulated.
SimulationResult simulate(const Scenario& scenario, const SimulationOptions& options);

}  // namespace skua
