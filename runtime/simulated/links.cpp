// Paths from the pairs of the Topology.
#include "links.hpp"

#include <algorithm>
#include <deque>
#include <optional>

namespace skua {
namespace {

std::optional<double> bandwidth_of(const Link& link) {
  return link.bandwidth_gb_per_s ? link.bandwidth_gb_per_s : link.assumed_bandwidth_gb_per_s;
}

bool is_direct(const Link& link) {
  return link.kind != LinkKind::pcie && link.hops.value_or(1) <= 1 && bandwidth_of(link).has_value();
}

}  // namespace

SimulatedLinks::SimulatedLinks(const Topology& topology) {
  for (const Link& link : topology.links) {
    const auto bandwidth = bandwidth_of(link);
    std::vector<std::size_t>& path = paths_[{link.from.index, link.to.index}];
    if (is_direct(link)) {
      path.push_back(add(*bandwidth));
    } else if (link.kind == LinkKind::pcie && bandwidth) {
      add_port(link.from.index, true, *bandwidth, path);
      add_port(link.to.index, false, *bandwidth, path);
    }
  }
  for (const Link& link : topology.links) {
    if (paths_[{link.from.index, link.to.index}].empty()) join_over_hops(topology, link);
  }
}

std::size_t SimulatedLinks::add(double gb_per_s) {
  bytes_per_second_.push_back(gb_per_s * 1e9);
  return bytes_per_second_.size() - 1;
}

void SimulatedLinks::add_port(std::uint32_t gpu, bool outward, double gb_per_s, std::vector<std::size_t>& path) {
  const auto found = ports_.find({gpu, outward});
  if (found != ports_.end()) {
    bytes_per_second_[found->second] = std::max(bytes_per_second_[found->second], gb_per_s * 1e9);
    path.push_back(found->second);
    return;
  }
  path.push_back(ports_[{gpu, outward}] = add(gb_per_s));
}

void SimulatedLinks::join_over_hops(const Topology& topology, const Link& link) {
  std::map<std::uint32_t, std::uint32_t> reached_from = {{link.from.index, link.from.index}};
  std::deque<std::uint32_t> next = {link.from.index};
  while (!next.empty() && !reached_from.contains(link.to.index)) {
    const std::uint32_t at = next.front();
    next.pop_front();
    for (const Link& step : topology.links) {
      if (step.from.index == at && is_direct(step) && reached_from.emplace(step.to.index, at).second) {
        next.push_back(step.to.index);
      }
    }
  }
  if (!reached_from.contains(link.to.index)) return;
  std::vector<std::size_t>& path = paths_[{link.from.index, link.to.index}];
  for (std::uint32_t at = link.to.index; at != link.from.index; at = reached_from[at]) {
    path.push_back(paths_[{reached_from[at], at}].front());
  }
}

std::vector<SimulatedLinks::Crossing> SimulatedLinks::path(std::uint32_t from, std::uint32_t to) const {
  std::vector<Crossing> crossings;
  const auto found = paths_.find({from, to});
  if (found == paths_.end()) return crossings;
  for (const std::size_t link : found->second) crossings.push_back({link, bytes_per_second_[link]});
  return crossings;
}

}  // namespace skua
