// From whom an idle device takes, and how much.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <skua/detail/interval.hpp>

namespace skua {

/// One possible victim as a thief sees it.
struct Victim {
  std::uint32_t device = 0;
  Interval left;         ///< its Share
  double work_left = 0;  ///< of it
  double work_per_second = 1;
  double busy_seconds = 0;     ///< until what it runs already is done
  std::uint64_t distance = 0;  ///< Nearness from the thief
  bool failed = false;         ///< it will do nothing more itself

  /// Time until it would have done all that it owns; infinite when it failed.
  double seconds_left() const noexcept;
};

/// The richest victim by forecast time left; among those with at least half as much as the richest, the nearest.
/// Returns nullopt when no Share holds anything.
std::optional<Victim> choose_victim(const std::vector<Victim>& victims);

/// How much work a thief takes so that both are done at the same moment; all of it from a victim that failed; 0 when
/// the victim alone is done sooner. `thief_overhead_seconds`: what a launch costs the thief.
double work_to_steal(const Victim& victim, double thief_work_per_second, double thief_overhead_seconds);

}  // namespace skua
