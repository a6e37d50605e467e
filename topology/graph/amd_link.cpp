// Weights and speeds of AMD links.
#include "amd_link.hpp"

#include <iterator>
#include <map>
#include <set>
#include <utility>

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

void rank_by_weights(std::vector<Link>& links, const std::vector<std::optional<std::uint64_t>>& weights) {
  struct Group {
    std::set<std::uint64_t> weights;
    bool are_listed = true;
  };
  std::map<std::pair<GpuId, LinkKind>, Group> groups;
  for (std::size_t place = 0; place < links.size(); ++place) {
    if (!weights[place] || links[place].kind == LinkKind::package) continue;
    Group& group = groups[{links[place].from, links[place].kind}];
    group.weights.insert(*weights[place]);
    const bool is_listed = links[place].kind == LinkKind::xgmi && hops_from_weight(weights[place]);
    group.are_listed = group.are_listed && is_listed;
  }
  for (std::size_t place = 0; place < links.size(); ++place) {
    const auto found = groups.find({links[place].from, links[place].kind});
    if (!weights[place] || found == groups.end()) continue;
    const Group& group = found->second;
    if (group.are_listed || group.weights.size() < 2) continue;
    const auto rank = std::distance(group.weights.begin(), group.weights.find(*weights[place]));
    links[place].rank = static_cast<std::uint32_t>(rank);
  }
}

}  // namespace skua
