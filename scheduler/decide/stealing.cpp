// Choice of the victim and of the size of a steal.
#include "stealing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skua {

double Victim::seconds_left() const noexcept {
  if (failed) return std::numeric_limits<double>::infinity();
  return busy_seconds + left.size() / granules_per_second;
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

std::uint32_t steal_size(const Victim& victim, double thief_granules_per_second, double thief_overhead_seconds) {
  const std::uint32_t left = victim.left.size();
  if (victim.failed || left == 0) return left;
  const double thief_rate = thief_granules_per_second;
  const double victim_rate = victim.granules_per_second;
  // Both are done at T when victim_rate * (T - busy) + thief_rate * (T - overhead) = left.
  const double done_seconds =
      (left + victim_rate * victim.busy_seconds + thief_rate * thief_overhead_seconds) / (victim_rate + thief_rate);
  const double wanted = thief_rate * (done_seconds - thief_overhead_seconds);
  if (!(wanted > 0)) return 0;
  const auto granules = static_cast<std::uint32_t>(std::min<double>(std::round(wanted), left));
  if (granules > 0) return granules;
  // Less than half a granule: the thief is worth its while only if it is done with a whole one before the victim.
  return thief_overhead_seconds + 1 / thief_rate < victim.seconds_left() ? 1 : 0;
}

}  // namespace skua
