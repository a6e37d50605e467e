// The granule of a Job that names none.
#include <skua/job_options.hpp>

namespace skua {

std::uint64_t default_granule_items(std::uint64_t items, std::size_t result_bytes) noexcept {
  constexpr std::uint64_t granules_max = 8'192;
  constexpr std::uint64_t granules_min = 64;
  constexpr std::uint64_t results_bytes_max = std::uint64_t{256} << 20;
  std::uint64_t most = granules_max;
  while (most > granules_min && result_bytes > results_bytes_max / most) most /= 2;
  std::uint64_t granule = 1;
  while (items / granule > most || (items / granule == most && items % granule != 0)) granule *= 2;
  return granule;
}

}  // namespace skua
