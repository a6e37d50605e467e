// Choice of the victim and of the size of a steal.
#include "stealing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skua {

double Victim::seconds_left() const noexcept {
  if (failed) return std::numeric_limits<double>::infinity();
  return busy_seconds + work_left / work_per_second;
}

std::optional<Victim> choose_victim(const std::vector<Victim>& victims) {
  double most_seconds = 0;
  for (const Victim& victim : victims) {
    if (!victim.left.empty()) most_seconds = std::max(most_seconds, victim.seconds_left());
  }
  const Victim* nearest = nullptr;
  for (const Victim& victim : victims) {
    if (victim.left.empty() || victim.seconds_left() < most_seconds / 2) continue;
    if (nearest == nullptr || victim.distance < nearest->distance) nearest = &victim;
  }
  if (nearest == nullptr) return std::nullopt;
  return *nearest;
}

double work_to_steal(const Victim& victim, double thief_work_per_second, double thief_overhead_seconds) {
  if (victim.failed || victim.left.empty()) return victim.work_left;
  const double thief_rate = thief_work_per_second;
  const double victim_rate = victim.work_per_second;
  // Both are done at T when victim_rate * (T - busy) + thief_rate * (T - overhead) = left.
  const double done_seconds =
      (victim.work_left + victim_rate * victim.busy_seconds + thief_rate * thief_overhead_seconds) /
      (victim_rate + thief_rate);
  return std::clamp(thief_rate * (done_seconds - thief_overhead_seconds), 0.0, victim.work_left);
}

}  // namespace skua
