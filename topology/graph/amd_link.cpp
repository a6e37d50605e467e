// Weights and speeds of AMD links.
#include "amd_link.hpp"

namespace skua {

std::optional<std::uint32_t> hops_from_weight(std::optional<std::uint64_t> weight) {
  constexpr std::uint64_t hops_max = 1024;
  if (weight == weight_in_package || weight == weight_between_packages) return 1;
  if (!weight || *weight == 0 || *weight % weight_xgmi_hop != 0) return std::nullopt;
  const std::uint64_t hops = *weight / weight_xgmi_hop;
  return hops <= hops_max ? std::optional(static_cast<std::uint32_t>(hops)) : std::nullopt;
}

std::optional<double> gb_per_s_from(std::optional<std::uint64_t> mb_per_s) {
  constexpr std::uint64_t plausible_max = 10'000'000;
  if (!mb_per_s || *mb_per_s == 0 || *mb_per_s > plausible_max) return std::nullopt;
  return static_cast<double>(*mb_per_s) / 1000;
}

std::optional<std::uint32_t> link_count_from(std::optional<std::uint64_t> min_mb_per_s,
                                             std::optional<std::uint64_t> max_mb_per_s) {
  constexpr std::uint64_t plausible_max = 64;
  const bool are_known = gb_per_s_from(min_mb_per_s) && gb_per_s_from(max_mb_per_s);
  if (!are_known || *max_mb_per_s % *min_mb_per_s != 0) return std::nullopt;
  const std::uint64_t count = *max_mb_per_s / *min_mb_per_s;
  return count > 0 && count <= plausible_max ? std::optional(static_cast<std::uint32_t>(count)) : std::nullopt;
}

}  // namespace skua
