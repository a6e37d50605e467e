// How the granules of a Job are dealt out before it starts.
#pragma once

#include <cstdint>
#include <vector>

#include <skua/share.hpp>

namespace skua {

/// even: equal shares. by_rate: in proportion to the devices' rates.
enum class Placement { even, by_rate };

/// One interval a device, in device order; together they are [0, granules), each granule once.
/// A device of weight 0 (or not a number) gets nothing, unless all have.
std::vector<Interval> place(std::uint32_t granules, const std::vector<double>& weights);

}  // namespace skua
