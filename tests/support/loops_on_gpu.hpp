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

/// On a stream of the program's: a kernel that takes some milliseconds and then writes `value` to all of values[0 ..
/// items).
void write_late(unsigned* values, std::uint64_t items, unsigned value, void* stream);

/// How many of values[0 .. items) are `value`.
std::uint64_t count_values(Scheduler& scheduler, std::uint64_t items, const unsigned* values, unsigned value,
                           const JobOptions& options);

/// What a launcher of launch_in_slots() keeps for its kernels.
enum class Scratch : std::uint8_t { one_a_slot, one_a_device };

/// Runs kernels that take `scratch` for their own, and counts in *meetings those that found it taken: scratch[2 *
/// device
/// + slot], or scratch[2 * device] by one_at_a_time().
Report launch_with_scratch(Scheduler& scheduler, std::uint64_t items, Scratch kind, unsigned* scratch,
                           unsigned* meetings, const JobOptions& options);

/// As sum_items in the last of several sums, too many for a GPU.
std::uint64_t sum_in_large_values(Scheduler& scheduler, std::uint64_t items, const JobOptions& options);

/// As count_runs, by a body that holds more than a GPU takes.
Report count_runs_by_large_body(Scheduler& scheduler, std::uint64_t items, unsigned* runs, const JobOptions& options);

/// The last item, by a combination that wants item order.
Reduction<std::uint64_t> last_item(Scheduler& scheduler, std::uint64_t items, const JobOptions& options);

/// Launches a kernel that writes where there is no memory.
Report launch_fault(Scheduler& scheduler);

}  // namespace skua
