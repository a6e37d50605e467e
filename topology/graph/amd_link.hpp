// How AMD's driver writes link facts down: weights, speeds, markers for what it does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

/// The weights of pairs that XGMI joins: so much a hop, inside a package, and between partitions of two packages.
inline constexpr std::uint64_t weight_xgmi_hop = 15;
inline constexpr std::uint64_t weight_in_package = 13;
inline constexpr std::uint64_t weight_between_packages = weight_in_package + weight_xgmi_hop + weight_in_package;

/// Links crossed between two GPUs that XGMI joins, by the weight of the pair; partitions are one hop from one another.
/// Returns nullopt for any other weight.
std::optional<std::uint32_t> hops_from_weight(std::optional<std::uint64_t> weight);

/// Returns nullopt for 0, all-ones and other numbers that no link has: they mean that the speed is not known.
std::optional<double> gb_per_s_from(std::optional<std::uint64_t> mb_per_s);

/// Parallel links of a directly joined pair: the speed of all of them over the speed of one.
std::optional<std::uint32_t> link_count_from(std::optional<std::uint64_t> min_mb_per_s,
                                             std::optional<std::uint64_t> max_mb_per_s);

/// Ranks links by weights that are in no list, which order at least the links of one kind from one GPU; `weights` are
/// those of `links`, place by place. XGMI links whose weights all tell their hops are left without ranks, and so are
/// links that nothing tells apart.
void rank_by_weights(std::vector<Link>& links, const std::vector<std::optional<std::uint64_t>>& weights);

}  // namespace skua
