// Runs a problem over the devices.
#pragma once

#include <cstdint>
#include <functional>

#include <skua/scheduler.hpp>

#include "options.hpp"
#include "result.hpp"

namespace monte_carlo {

struct Solution {
  Result result;
  Paths paths;  ///< of the whole problem
  skua::Report report;
};

/// What the caller of solve wants to hear and to say while it runs.
struct Watch {
  skua::Cancellation cancellation;
  std::function<void(const skua::Progress&)> progress;  ///< may be empty; see paths_in_item()
};

/// The paths of one item of the problem's loop.
std::uint64_t paths_in_item(Problem problem);

/// Blocks: until the problem is solved or cancelled; what was done until then counts.
/// Fails: as Scheduler::parallel_reduce; InputError for a portfolio that has too many paths or granules.
Solution solve(skua::Scheduler& scheduler, const Options& options, const Watch& watch);

}  // namespace monte_carlo
