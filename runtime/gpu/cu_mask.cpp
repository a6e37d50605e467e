// Which bits of an AMD compute-unit mask make up a part of a GPU.
#include "cu_mask.hpp"

namespace skua {

std::vector<std::uint32_t> compute_unit_mask(std::uint32_t first, std::uint32_t count, std::uint32_t compute_units,
                                             std::uint32_t xcds) {
  std::vector<std::uint32_t> mask((compute_units + 31) / 32);
  const std::uint32_t units_in_xcd = compute_units / xcds;
  for (std::uint32_t unit = first; unit < first + count; ++unit) {
    const std::uint32_t bit = unit % units_in_xcd * xcds + unit / units_in_xcd;
    mask[bit / 32] |= std::uint32_t{1} << (bit % 32);
  }
  return mask;
}

}  // namespace skua
