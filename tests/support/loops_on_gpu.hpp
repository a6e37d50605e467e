// Loops for the tests of GPUs, in a source of their own: that one is compiled for GPUs, the tests are not.
#pragma once

#include <cstdint>

#include <skua/skua.hpp>

namespace skua {

/// Adds one to runs[item] for every item.
Report count_runs(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options);

/// The same by items that take some microseconds each.
Report count_slowly(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options);

/// How many items there are, by items that take some microseconds each.
Reduction<std::uint64_t> count_items_slowly(Scheduler& scheduler, std::uint64_t items, const JobOptions& options);

/// Starts a kernel that takes `items` times some microseconds and then counts in *done, and throws.
Report launch_and_throw(Scheduler& scheduler, unsigned* done);

/// The sum of 1 / (1 + item).
Reduction<double> sum_harmonic(Scheduler& scheduler, std::uint64_t items, double init, const JobOptions& options);

/// The sum of all items, modulo 2^64.
Reduction<std::uint64_t> sum_items(Scheduler& scheduler, std::uint64_t items, const JobOptions& options);

/// As count_runs, by a kernel of the user's.
Report launch_count(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options);

/// Launches a kernel that writes where there is no memory.
Report launch_fault(Scheduler& scheduler);

}  // namespace skua
