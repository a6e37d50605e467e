// Where the options of a portfolio lie in the one Job that prices them all.
#pragma once

#include <cstdint>
#include <vector>

#include <skua/detail/partials.hpp>
#include <skua/reduction.hpp>

namespace monte_carlo {

/// The items of one option, from item first_granule * granule_items on.
struct Stretch {
  std::uint64_t items = 0;
  std::uint32_t first_granule = 0;
  std::uint32_t granules = 0;
};

/// Every option begins at a granule of its own, so that no granule holds items of two: the rest of its last one is
/// padding. So an option's result is what it is when it is priced alone in granules of this size, to the last bit.
struct PortfolioPlan {
  unsigned granule_shift = 0;  ///< a granule is 2 to this, so that an item's is found without a division
  std::vector<Stretch> stretches;

  std::uint64_t granule_items() const { return std::uint64_t{1} << granule_shift; }
  std::uint64_t granules() const;
  std::uint64_t items() const { return granules() * granule_items(); }
};

/// `items` are those of each option. granule_items is rounded up to a power of two; 0: chosen from the items alone, so
/// that there is little padding.
/// Fails: InputError that names --granule or --portfolio, where there would be more granules or items than are
/// possible.
PortfolioPlan plan_portfolio(const std::vector<std::uint64_t>& items, std::uint64_t granule_items);

/// What was done of one option.
struct StretchSums {
  skua::Sums<2> sums;
  std::uint64_t items_done = 0;
};

/// The results of granules, added up option by option as a reduction of its own would.
std::vector<StretchSums> sums_by_stretch(const PortfolioPlan& plan, const skua::Partials& partials);

}  // namespace monte_carlo
