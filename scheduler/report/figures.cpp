// What follows from a Report's fields.
#include <algorithm>

#include <skua/report.hpp>

namespace skua {

void Report::extend(double more_s) noexcept {
  makespan_s += more_s;
  for (DeviceReport& device : devices) device.idle_s += more_s;
}

double Report::efficiency() const noexcept {
  return items > 0 && makespan_s > 0 ? lower_bound_s / makespan_s : 1;
}

double Report::imbalance() const noexcept {
  double sum = 0;
  double shortest = 0;
  double longest = 0;
  unsigned count = 0;
  for (const DeviceReport& device : devices) {
    if (device.failed) continue;
    shortest = count == 0 ? device.busy_s : std::min(shortest, device.busy_s);
    longest = std::max(longest, device.busy_s);
    sum += device.busy_s;
    ++count;
  }
  return sum > 0 ? (longest - shortest) * count / sum : 0;
}

}  // namespace skua
