// From the links that sources tell of to one entry for every pair: hops, paths, kinds, assumed speeds.
#pragma once

#include <cstddef>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

/// More GPUs than any node has; every pair of them has an entry, so this bounds the memory that a bad file can ask for.
inline constexpr std::size_t gpu_count_max = 2048;

/// Replaces topology.links by one entry per ordered pair of different GPUs.
/// `known` are links as sources state them, in any order; of two for one pair the first counts. A known xgmi or nvlink
/// link with hops of 1, or with a count, is direct and carries paths; each of its directions stands for itself.
/// A pair that is not known, or is known without its hops, gets
/// - package, when both are partitions of one address,
/// - xgmi or nvlink and the hops of the shortest way over direct links, when there is one; count and declared
///   bandwidth stay unknown, the assumed bandwidth is that of the widest shortest way,
/// - otherwise `unjoined` as its kind, and node or system as its locality where both NUMA nodes are known.
/// Every pair without a declared bandwidth gets an assumed one.
/// Fails: InputError for more than gpu_count_max GPUs.
void complete_links(Topology& topology, std::vector<Link> known, LinkKind unjoined, Basis basis);

/// Numbers the hives from 0: GPUs that xgmi or nvlink joins, directly or over others. GPUs without such links get none.
/// For sources that tell no hives.
void number_hives_by_links(Topology& topology);

/// The class speed of a direct link, in one direction.
/// Units: GB/s.
double assumed_gb_per_s(const Topology& topology, const Link& link);

}  // namespace skua
