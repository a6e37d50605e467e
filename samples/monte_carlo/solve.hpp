// Runs a problem over the devices.
#pragma once

#include <functional>

#include <skua/scheduler.hpp>

#include "options.hpp"
#include "result.hpp"

namespace monte_carlo {

struct Solution {
  Result result;
  skua::Report report;
};

/// What the caller of solve wants to hear and to say while it runs.
struct Watch {
  skua::Cancellation cancellation;
  std::function<void(const skua::Progress&)> progress;  ///< over all paths of the problem; may be empty
};

/// Blocks: until the problem is solved or cancelled; what was done until then counts.
/// Fails: as Scheduler::parallel_reduce.
Solution solve(skua::Scheduler& scheduler, const Options& options, const Watch& watch);

}  // namespace monte_carlo
