// The granule of a Job that names none.
#include <skua/job_options.hpp>

namespace skua {

std::uint64_t default_granule_items(std::uint64_t items) noexcept {
  constexpr std::uint64_t granules_max = 8'192;
  std::uint64_t granule = 1;
  while (items / granule > granules_max || (items / granule == granules_max && items % granule != 0)) granule *= 2;
  return granule;
}

}  // namespace skua
