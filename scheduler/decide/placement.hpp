// How the granules of a Job are dealt out before it starts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <skua/detail/interval.hpp>

namespace skua {

/// What is known of a device before a Job.
struct PlacedDevice {
  std::optional<double> items_per_second;  ///< measured in earlier Jobs of the name
  double rate_guess = 1;                   ///< of any unit, the same for all
  bool takes_part = true;
  bool sleeps = false;  ///< between Jobs: to wake and to leave costs it, and those that are awake, time
};

/// What place() deals by: measured rates, and for devices that have none the guess, scaled by what the guesses of the
/// others turned out to be worth. A device without a rate weighs at least one granule, or else a guess that is too low
/// would keep it idle for ever; one whose rate is known may get none, when a granule would take it longer than the Job.
/// A device that takes no part weighs 0, and so does one that sleeps where it is known that all of these together would
/// spare those that are awake less of so much work than they cost.
/// `work`: items of the mean cost.
std::vector<double> placement_weights(const std::vector<PlacedDevice>& devices, std::uint64_t granules, double work);

/// One interval a device, in device order; together they are [0, granules), each granule once.
/// A device of weight 0 (or not a number) gets nothing, unless all have.
std::vector<Interval> place(std::uint32_t granules, const std::vector<double>& weights);

}  // namespace skua
