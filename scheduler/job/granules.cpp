// Limits on how a loop may be cut.
#include "granules.hpp"

#include <string>

#include <skua/input.hpp>

namespace skua {
namespace {

std::uint32_t count_granules(std::uint64_t items, std::uint64_t granule_items) {
  const std::string what = "granule " + std::to_string(granule_items) + ": ";
  if (granule_items == 0) throw InputError(what + "a granule has at least one item");
  const std::uint64_t count = items / granule_items + (items % granule_items != 0 ? 1 : 0);
  if (count > Granules::count_max) {
    throw InputError(what + std::to_string(items) + " items give " + std::to_string(count) +
                     " granules, at most 2147483648 are possible");
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace

Granules::Granules(std::uint64_t items, std::uint64_t granule_items)
    : items_(items), granule_items_(granule_items), count_(count_granules(items, granule_items)) {}

}  // namespace skua
