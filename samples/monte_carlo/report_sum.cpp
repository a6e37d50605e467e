// Adding up Reports.
#include "report_sum.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>

namespace monte_carlo {
namespace {

/// Unknown only where both are.
template <class T>
std::optional<T> sum_of(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b ? std::optional<T>(*a + *b) : (a ? a : b);
}

template <class T>
void replace_if_known(std::optional<T>& total, const std::optional<T>& part) {
  if (part) total = part;
}

void add_device(skua::DeviceReport& total, const skua::DeviceReport& part, double before_s) {
  total.items += part.items;
  total.chunks += part.chunks;
  total.busy_s += part.busy_s;
  total.idle_s += part.idle_s;
  if (part.last_end_s > 0) total.last_end_s = before_s + part.last_end_s;
  total.steals += part.steals;
  total.stolen_items += part.stolen_items;
  total.copies += part.copies;
  total.bytes_moved = sum_of(total.bytes_moved, part.bytes_moved);
  total.host_s += part.host_s;
  replace_if_known(total.occupancy, part.occupancy);
  replace_if_known(total.smallest_chunk_items, part.smallest_chunk_items);
  replace_if_known(total.items_per_second, part.items_per_second);
  total.slow_calls += part.slow_calls;
  total.failed = total.failed || part.failed;
  if (!part.failure.empty()) total.failure = part.failure;
}

void add_note(skua::Report& total, const std::string& note) {
  if (std::find(total.notes.begin(), total.notes.end(), note) == total.notes.end()) total.notes.push_back(note);
}

}  // namespace

void add_report(skua::Report& total, const skua::Report& part) {
  if (total.devices.empty()) {
    total = part;
    return;
  }
  assert(total.devices.size() == part.devices.size());
  for (const skua::ItemRange& range : part.not_done) {
    total.not_done.push_back({total.items + range.begin, total.items + range.end});
  }
  total.items += part.items;
  total.items_done += part.items_done;
  total.granule_items = std::min(total.granule_items, part.granule_items);
  const double before_s = total.makespan_s;
  total.makespan_s += part.makespan_s;
  total.waited_s += part.waited_s;
  total.lower_bound_s += part.lower_bound_s;
  total.cancelled = total.cancelled || part.cancelled;
  for (std::size_t i = 0; i < total.devices.size(); ++i) add_device(total.devices[i], part.devices[i], before_s);
  add_note(total, "several Jobs one after another: their times are added up");
  for (const std::string& note : part.notes) add_note(total, note);
}

}  // namespace monte_carlo
