// The fluid bound, by bisection.
#include <skua/lower_bound.hpp>

#include <algorithm>
#include <limits>

namespace skua {

namespace {

/// A device that goes away at some launch does so nobody knows when.
bool counts(const SimulatedDevice& device) {
  return !device.fails_from_s && !device.hangs_at && !device.refuses_at && !device.fails_at && !device.lost_at;
}

}  // namespace

double lower_bound_s(const SimulatedMachine& machine, const Costs& costs, std::uint64_t granule_items, double begin_s) {
  constexpr double longest_s = 1e9;
  const auto possible = [&](double seconds) {
    double work = 0;
    for (const SimulatedDevice& device : machine.devices) {
      if (counts(device)) work += work_between(device, begin_s, begin_s + seconds);
    }
    return work;
  };
  double high = 1e-6;
  while (possible(high) < costs.total()) {
    high *= 2;
    if (high > longest_s) return std::numeric_limits<double>::infinity();
  }
  double low = 0;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (possible(middle) < costs.total() ? low : high) = middle;
  }
  const double granule_work = costs.costliest_granule(granule_items);
  double granule_s = std::numeric_limits<double>::infinity();
  for (const SimulatedDevice& device : machine.devices) {
    if (counts(device)) granule_s = std::min(granule_s, end_of_work(device, begin_s, granule_work) - begin_s);
  }
  return std::max(high, granule_s);
}

}  // namespace skua
