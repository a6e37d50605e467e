// Rates of simulated devices that change over time.
#include <algorithm>
#include <limits>

#include <skua/simulated.hpp>

namespace skua {

double work_between(const SimulatedDevice& device, double from_s, double until_s) {
  double work = 0;
  double factor = 1;
  double at_s = from_s;
  for (const RateChange& change : device.changes) {
    const double until_change_s = std::clamp(change.from_s, from_s, until_s);
    work += device.work_per_second * factor * std::max(0.0, until_change_s - at_s);
    at_s = std::max(at_s, until_change_s);
    factor = change.factor;
  }
  return work + device.work_per_second * factor * std::max(0.0, until_s - at_s);
}

double end_of_work(const SimulatedDevice& device, double from_s, double work) {
  double factor = 1;
  double at_s = from_s;
  for (const RateChange& change : device.changes) {
    const double possible = device.work_per_second * factor * std::max(0.0, change.from_s - at_s);
    if (possible >= work) break;
    work -= possible;
    at_s = std::max(at_s, change.from_s);
    factor = change.factor;
  }
  return factor > 0 ? at_s + work / (device.work_per_second * factor) : std::numeric_limits<double>::infinity();
}

}  // namespace skua
