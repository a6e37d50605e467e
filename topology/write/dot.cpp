// Writes a Topology for Graphviz.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include <skua/topology.hpp>

namespace skua {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string gpu_line(const Topology& topology, std::uint32_t id) {
  const Gpu& gpu = topology.gpus[id];
  std::string label = fmt::format("gpu {}", id);
  if (!gpu.name.empty()) label += "\\n" + in_quotes(gpu.name);
  if (gpu.pci) label += "\\n" + gpu.pci->to_text();
  if (gpu.partition) label += fmt::format(" part {}", *gpu.partition);
  const char* style = gpu.hidden_by ? ", style=\"rounded,dashed\"" : "";
  return fmt::format("gpu{} [label=\"{}\"{}];\n", id, label, style);
}

bool is_drawn(const Link& link) {
  const bool joins = link.kind == LinkKind::xgmi || link.kind == LinkKind::nvlink || link.kind == LinkKind::package;
  return joins && link.hops == 1u;
}

/// 1 for the narrowest useful link, about 5 for the widest that are built.
double line_width(const Link& link) {
  const double gb_per_s = link.bandwidth_gb_per_s.value_or(link.assumed_bandwidth_gb_per_s.value_or(25));
  return std::clamp(gb_per_s / 50, 1.0, 6.0);
}

std::string edge_label(const Link& link) {
  std::string label;
  if (link.count && *link.count > 1) label = fmt::format("{} x ", *link.count);
  if (link.bandwidth_gb_per_s) return label + fmt::format("{:g} GB/s", *link.bandwidth_gb_per_s);
  return label.empty() ? label : fmt::format("{} links", *link.count);
}

void append_edges(const Topology& topology, std::string& text) {
  const auto out = std::back_inserter(text);
  for (const Link& link : topology.links) {
    if (!is_drawn(link)) continue;
    const Link* back = topology.link(link.to, link.from);
    const bool both_ways = back != nullptr && is_drawn(*back);
    if (both_ways && link.from > link.to) continue;
    const char* colour =
        link.kind == LinkKind::package ? "gray50" : (link.kind == LinkKind::xgmi ? "firebrick" : "forestgreen");
    fmt::format_to(out, "  gpu{} -- gpu{} [penwidth={:.2f}, color={}, tooltip=\"{}\"", link.from.index, link.to.index,
                   line_width(link), colour, edge_label(link));
    // Labels of a mesh hide its lines; a machine with few links shows them.
    if (topology.gpus.size() <= 4) fmt::format_to(out, ", label=\"{}\"", edge_label(link));
    text += both_ways ? "];\n" : ", dir=forward];\n";
  }
}

/// NUMA nodes hold the graph together where no link joins the GPUs.
void append_numa_nodes(const Topology& topology, std::string& text) {
  std::set<std::uint32_t> nodes;
  for (const Gpu& gpu : topology.gpus) {
    if (gpu.numa_node) nodes.insert(gpu.numa_node->index);
  }
  for (const NumaNode& node : topology.numa_nodes) nodes.insert(node.id.index);
  const auto out = std::back_inserter(text);
  for (const std::uint32_t node : nodes) {
    fmt::format_to(out, "  numa{0} [label=\"NUMA node {0}\", shape=ellipse, color=gray50];\n", node);
  }
  for (std::uint32_t id = 0; id < topology.gpus.size(); ++id) {
    const auto& node = topology.gpus[id].numa_node;
    if (node) fmt::format_to(out, "  gpu{} -- numa{} [style=dashed, color=gray50];\n", id, node->index);
  }
}

}  // namespace

std::string to_dot(const Topology& topology) {
  std::string text =
      "graph skua {\n  layout=fdp;\n  overlap=false;\n  splines=true;\n  node [shape=box, style=rounded];\n";
  std::map<std::uint32_t, std::vector<std::uint32_t>> hives;
  for (std::uint32_t id = 0; id < topology.gpus.size(); ++id) {
    if (topology.gpus[id].hive) {
      hives[*topology.gpus[id].hive].push_back(id);
    } else {
      text += "  " + gpu_line(topology, id);
    }
  }
  for (const auto& [hive, members] : hives) {
    text += fmt::format("  subgraph cluster_hive_{0} {{\n    label=\"hive {0}\";\n", hive);
    for (const std::uint32_t id : members) text += "    " + gpu_line(topology, id);
    text += "  }\n";
  }
  append_edges(topology, text);
  append_numa_nodes(topology, text);
  return text + "}\n";
}

}  // namespace skua
