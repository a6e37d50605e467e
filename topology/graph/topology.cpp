// Questions to a Topology: the link of a pair, who is near, how long a transfer takes.
#include <skua/topology.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace skua {
namespace {

std::optional<double> usable_bandwidth(const Link& link) {
  return link.bandwidth_gb_per_s ? link.bandwidth_gb_per_s : link.assumed_bandwidth_gb_per_s;
}

/// Smaller is nearer. Unknown facts come after known ones, but an unknown GPU can still be stolen from.
struct Distance {
  int package = 1;
  std::uint32_t hops = std::numeric_limits<std::uint32_t>::max();
  double negated_bandwidth = 0;
  int locality = std::numeric_limits<int>::max();
  std::uint32_t rank = std::numeric_limits<std::uint32_t>::max();
  std::size_t turn = 0;  ///< how far the id is ahead of the asking GPU's, counted round

  auto key() const { return std::tie(package, hops, negated_bandwidth, locality, rank, turn); }
};

Distance distance(const Link* link, std::size_t turn) {
  Distance result;
  result.turn = turn;
  if (link == nullptr) return result;
  result.package = link->kind == LinkKind::package ? 0 : 1;
  if (link->hops) result.hops = *link->hops;
  result.negated_bandwidth = -usable_bandwidth(*link).value_or(0);
  if (link->locality) result.locality = static_cast<int>(*link->locality);
  if (link->rank) result.rank = *link->rank;
  return result;
}

}  // namespace

unsigned HostCpus::usable_count() const noexcept {
  constexpr double count_max = 1'048'576;
  double count = allowed ? static_cast<double>(allowed->size()) : (quota_cpus ? count_max : 1);
  if (quota_cpus) count = std::min(count, std::ceil(*quota_cpus));
  return static_cast<unsigned>(std::clamp(count, 1.0, count_max));
}

const Link* Topology::link(GpuId from, GpuId to) const noexcept {
  if (from == to) return nullptr;
  const auto names_pair = [&](const Link& link) { return link.from == from && link.to == to; };
  // Where every pair is recorded, its place follows from the ids.
  const std::size_t place = std::size_t{from.index} * (gpus.empty() ? 0 : gpus.size() - 1) +
                            (to.index > from.index ? to.index - 1 : to.index);
  if (place < links.size() && names_pair(links[place])) return &links[place];
  const auto found =
      std::lower_bound(links.begin(), links.end(), std::tie(from, to),
                       [](const Link& link, const auto& pair) { return std::tie(link.from, link.to) < pair; });
  return found != links.end() && names_pair(*found) ? &*found : nullptr;
}

std::vector<GpuId> Topology::nearest(GpuId gpu) const {
  std::vector<Distance> distances(gpus.size());
  std::vector<GpuId> others;
  for (std::uint32_t index = 0; index < gpus.size(); ++index) {
    if (index == gpu.index) continue;
    others.push_back(GpuId{index});
    const std::size_t turn = (index + gpus.size() - gpu.index) % gpus.size();
    distances[index] = distance(link(gpu, GpuId{index}), turn);
  }
  std::sort(others.begin(), others.end(),
            [&](GpuId a, GpuId b) { return distances[a.index].key() < distances[b.index].key(); });
  return others;
}

std::optional<double> Topology::transfer_seconds(GpuId from, GpuId to, std::uint64_t bytes) const noexcept {
  const Link* pair = link(from, to);
  const auto bandwidth = pair == nullptr ? std::nullopt : usable_bandwidth(*pair);
  if (!bandwidth || !(*bandwidth > 0)) return std::nullopt;
  return static_cast<double>(bytes) / (*bandwidth * 1e9);
}

}  // namespace skua
