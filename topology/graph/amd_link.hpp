// How AMD's driver writes link facts down: weights, speeds, markers for what it does not know.
#pragma once

#include <cstdint>
#include <optional>

namespace skua {

/// Links crossed between two GPUs that XGMI joins, by the weight of the pair: 15 a hop; 13 inside a package and 41
/// between partitions of two packages are one hop each. Fails: nothing for any other weight.
std::optional<std::uint32_t> hops_from_weight(std::optional<std::uint64_t> weight);

/// Fails: nothing for 0, all-ones and other numbers that no link has: they mean that the speed is not known.
std::optional<double> gb_per_s_from(std::optional<std::uint64_t> mb_per_s);

/// Parallel links of a directly joined pair: the speed of all of them over the speed of one.
std::optional<std::uint32_t> link_count_from(std::optional<std::uint64_t> min_mb_per_s,
                                             std::optional<std::uint64_t> max_mb_per_s);

}  // namespace skua
