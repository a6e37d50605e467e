// Hops and widest ways over direct links, and the rest of the pairs by class.
#include "graph.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <skua/input.hpp>

#include "partitions.hpp"

namespace skua {
namespace {

struct Edge {
  std::uint32_t to;
  double gb_per_s;
  LinkKind kind;
};

using Edges = std::vector<std::vector<Edge>>;

/// The way to one GPU: as few links as possible, and of those ways the one whose narrowest link is widest.
struct Way {
  std::uint32_t hops = 0;  ///< 0: none
  double gb_per_s = 0;
  LinkKind kind = LinkKind::unknown;
};

bool carries_paths(const Link& link) {
  const bool joins = link.kind == LinkKind::xgmi || link.kind == LinkKind::nvlink;
  return joins && (link.hops ? *link.hops == 1 : link.count.has_value());
}

Edges direct_edges(const Topology& topology, const std::vector<Link>& known) {
  Edges edges(topology.gpus.size());
  for (const Link& link : known) {
    if (!carries_paths(link)) continue;
    const double gb_per_s = link.bandwidth_gb_per_s.value_or(assumed_gb_per_s(topology, link));
    edges[link.from.index].push_back({link.to.index, gb_per_s, link.kind});
  }
  return edges;
}

std::vector<Way> ways_from(std::uint32_t source, const Edges& edges) {
  std::vector<Way> ways(edges.size());
  ways[source].gb_per_s = std::numeric_limits<double>::infinity();
  std::vector<std::uint32_t> front = {source};
  // In a mesh all are reached at once, and looking over all links of all GPUs again would find nothing.
  std::size_t reached = 1;
  for (std::uint32_t hops = 1; !front.empty() && reached < edges.size(); ++hops) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t at : front) {
      for (const Edge& edge : edges[at]) {
        Way& way = ways[edge.to];
        if (edge.to == source || (way.hops != 0 && way.hops < hops)) continue;
        if (way.hops == 0) {
          way = {hops, 0, edge.kind};
          next.push_back(edge.to);
        }
        way.gb_per_s = std::max(way.gb_per_s, std::min(ways[at].gb_per_s, edge.gb_per_s));
      }
    }
    reached += next.size();
    front = std::move(next);
  }
  return ways;
}

std::optional<Locality> locality_by_node(const Gpu& a, const Gpu& b) {
  if (!a.numa_node || !b.numa_node) return std::nullopt;
  return a.numa_node == b.numa_node ? Locality::node : Locality::system;
}

/// Fills in what `link` does not say yet.
void complete(Topology& topology, Link& link, const Way& way, LinkKind unjoined) {
  const Gpu& from = topology.gpus[link.from.index];
  const Gpu& to = topology.gpus[link.to.index];
  const bool stated = link.kind != LinkKind::unknown;
  if (!stated && are_in_one_package(from, to)) {
    link.kind = LinkKind::package;
    link.hops = 1;
  } else if (way.hops > 0 && (!stated || link.kind == way.kind) && !carries_paths(link)) {
    link.kind = way.kind;
    link.hops = way.hops;
    link.count.reset();
    link.bandwidth_gb_per_s.reset();
    link.locality.reset();
    link.assumed_bandwidth_gb_per_s = way.gb_per_s;
  } else if (!stated) {
    link.kind = unjoined;
  }
  if (carries_paths(link)) link.hops = 1;
  const bool over_host = link.kind == LinkKind::pcie || link.kind == LinkKind::unknown;
  if (over_host && !link.locality) link.locality = locality_by_node(from, to);
  if (link.bandwidth_gb_per_s) {
    link.assumed_bandwidth_gb_per_s.reset();
  } else if (!link.assumed_bandwidth_gb_per_s) {
    link.assumed_bandwidth_gb_per_s = assumed_gb_per_s(topology, link);
  }
}

void sort_by_pair(std::vector<Link>& links) {
  const auto pair = [](const Link& link) { return std::tie(link.from, link.to); };
  std::stable_sort(links.begin(), links.end(), [&](const Link& a, const Link& b) { return pair(a) < pair(b); });
  links.erase(std::unique(links.begin(), links.end(), [&](const Link& a, const Link& b) { return pair(a) == pair(b); }),
              links.end());
}

/// Nominal speeds of one direction of one link, from the vendors' data sheets.
double xgmi_gb_per_s(const std::string& arch) {
  if (arch == "gfx906" || arch == "gfx908") return 46;
  if (arch.starts_with("gfx94") || arch.starts_with("gfx95")) return 64;
  return 50;
}

double nvlink_gb_per_s(const std::string& arch) {
  if (arch == "sm_60") return 20;
  if (arch.starts_with("sm_10") || arch.starts_with("sm_12")) return 50;
  return 25;
}

}  // namespace

double assumed_gb_per_s(const Topology& topology, const Link& link) {
  const std::string arch = topology.gpus[link.from.index].arch.value_or("");
  const double count = link.count.value_or(1);
  switch (link.kind) {
    case LinkKind::package:
      return 400;
    case LinkKind::xgmi:
      return count * xgmi_gb_per_s(arch);
    case LinkKind::nvlink:
      return count * nvlink_gb_per_s(arch);
    case LinkKind::pcie:
      return 16;
    case LinkKind::unknown:
      break;
  }
  return 8;
}

void complete_links(Topology& topology, std::vector<Link> known, LinkKind unjoined, Basis basis) {
  const auto count = static_cast<std::uint32_t>(topology.gpus.size());
  if (count > gpu_count_max) throw InputError(fmt::format("{} GPUs are more than {}", count, gpu_count_max));
  sort_by_pair(known);
  const Edges edges = direct_edges(topology, known);
  topology.links.clear();
  topology.links.reserve(std::size_t{count} * (count > 0 ? count - 1 : 0));
  auto next = known.begin();
  for (std::uint32_t from = 0; from < count; ++from) {
    const std::vector<Way> ways = edges[from].empty() ? std::vector<Way>(count) : ways_from(from, edges);
    for (std::uint32_t to = 0; to < count; ++to) {
      if (from == to) continue;
      Link link;
      link.from = GpuId{from};
      link.to = GpuId{to};
      link.basis = basis;
      const auto pair = std::tie(link.from, link.to);
      while (next != known.end() && std::tie(next->from, next->to) < pair) ++next;
      if (next != known.end() && std::tie(next->from, next->to) == pair) link = *next;
      complete(topology, link, ways[to], unjoined);
      topology.links.push_back(link);
    }
  }
}

void number_hives_by_links(Topology& topology) {
  std::vector<std::vector<std::uint32_t>> joined(topology.gpus.size());
  for (const Link& link : topology.links) {
    if (link.kind != LinkKind::xgmi && link.kind != LinkKind::nvlink) continue;
    joined[link.from.index].push_back(link.to.index);
    joined[link.to.index].push_back(link.from.index);
  }
  std::uint32_t hives = 0;
  for (Gpu& gpu : topology.gpus) gpu.hive.reset();
  for (std::uint32_t first = 0; first < topology.gpus.size(); ++first) {
    if (topology.gpus[first].hive || joined[first].empty()) continue;
    std::vector<std::uint32_t> open = {first};
    topology.gpus[first].hive = hives;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t to : joined[at]) {
        if (topology.gpus[to].hive) continue;
        topology.gpus[to].hive = hives;
        open.push_back(to);
      }
    }
    ++hives;
  }
}

}  // namespace skua
