// Writes a Topology as people read it.
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include <skua/topology.hpp>

#include <graph/names.hpp>
#include <text/text_table.hpp>

namespace skua {
namespace {

// Beyond this, matrices are wider than anybody's screen: pairs are counted by class.
constexpr std::size_t matrix_gpus_max = 64;

template <class Number>
std::string number_or(const std::optional<Number>& number, const char* otherwise) {
  return number ? fmt::format("{}", *number) : otherwise;
}

std::string memory_text(const std::optional<std::uint64_t>& bytes) {
  return bytes ? fmt::format("{:.3g} GiB", static_cast<double>(*bytes) / (1024.0 * 1024 * 1024)) : "?";
}

std::string gpu_table(const Topology& topology) {
  TextTable table({"id", "name", "arch", "address", "partition", "hive", "NUMA", "CPUs", "units", "XCDs", "engines",
                   "queues", "integrated", "memory", "from", "hidden by"});
  for (std::size_t id = 0; id < topology.gpus.size(); ++id) {
    const Gpu& gpu = topology.gpus[id];
    table.add({fmt::format("{}", id), gpu.name, gpu.arch.value_or("?"), gpu.pci ? gpu.pci->to_text() : "?",
               number_or(gpu.partition, ""), number_or(gpu.hive, ""),
               gpu.numa_node ? fmt::format("{}", gpu.numa_node->index) : "?", gpu.cpus ? gpu.cpus->to_list() : "?",
               number_or(gpu.compute_units, "?"), number_or(gpu.xcds, ""), number_or(gpu.shader_engines, ""),
               number_or(gpu.hardware_queues, ""), gpu.integrated.value_or(false) ? "yes" : "",
               memory_text(gpu.memory_bytes), std::string(name_of(gpu.basis)), gpu.hidden_by.value_or("")});
  }
  return "GPUs\n" + table.to_text();
}

std::string kind_text(const Link& link) {
  switch (link.kind) {
    case LinkKind::xgmi:
      return link.count ? fmt::format("XGMIx{}", *link.count) : "XGMI";
    case LinkKind::nvlink:
      return link.count ? fmt::format("NVLx{}", *link.count) : "NVL";
    case LinkKind::package:
      return "package";
    case LinkKind::pcie:
      return link.locality ? std::string(name_of(*link.locality)) : "PCIe";
    case LinkKind::unknown:
      break;
  }
  return "?";
}

std::string hops_text(const Link& link) {
  return number_or(link.hops, "-");
}

std::string bandwidth_text(const Link& link) {
  if (link.bandwidth_gb_per_s) return fmt::format("{:.4g}", *link.bandwidth_gb_per_s);
  if (link.assumed_bandwidth_gb_per_s) return fmt::format("~{:.4g}", *link.assumed_bandwidth_gb_per_s);
  return "?";
}

std::string matrix(const Topology& topology, std::string (*cell)(const Link&)) {
  std::vector<std::string> header = {"gpu"};
  for (std::size_t id = 0; id < topology.gpus.size(); ++id) header.push_back(fmt::format("{}", id));
  TextTable table(header);
  for (std::uint32_t from = 0; from < topology.gpus.size(); ++from) {
    std::vector<std::string> row = {fmt::format("{}", from)};
    for (std::uint32_t to = 0; to < topology.gpus.size(); ++to) {
      const Link* link = topology.link(GpuId{from}, GpuId{to});
      row.push_back(from == to ? "." : (link == nullptr ? "?" : cell(*link)));
    }
    table.add(row);
  }
  return table.to_text();
}

std::string matrices(const Topology& topology) {
  std::set<Basis> bases;
  for (const Link& link : topology.links) bases.insert(link.basis);
  std::string sources;
  for (const Basis basis : bases) sources += (sources.empty() ? "" : ", ") + std::string(name_of(basis));
  return fmt::format(
      "Links, row to column (from {}; switch, bridge, node, system: PCIe, by what the pair shares)\n{}"
      "Hops (-: not counted)\n{}"
      "Bandwidth, GB/s in one direction (~: assumed by class, ?: unknown)\n{}",
      sources, matrix(topology, kind_text), matrix(topology, hops_text), matrix(topology, bandwidth_text));
}

std::string link_classes(const Topology& topology) {
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> pairs;
  for (const Link& link : topology.links) ++pairs[{kind_text(link), hops_text(link), bandwidth_text(link)}];
  TextTable table({"kind", "hops", "GB/s", "ordered pairs"});
  for (const auto& [kind, count] : pairs) {
    table.add({std::get<0>(kind), std::get<1>(kind), std::get<2>(kind), fmt::format("{}", count)});
  }
  return "Links, counted by class (~: assumed)\n" + table.to_text();
}

std::string host_lines(const Topology& topology) {
  std::string text;
  if (!topology.numa_nodes.empty()) {
    TextTable table({"id", "package", "CPUs", "memory"});
    for (const NumaNode& node : topology.numa_nodes) {
      table.add({fmt::format("{}", node.id.index), number_or(node.package, "?"),
                 node.cpus.empty() ? "-" : node.cpus.to_list(), memory_text(node.memory_bytes)});
    }
    text += "NUMA nodes\n" + table.to_text();
  }
  if (topology.host.allowed) {
    text +=
        fmt::format("Allowed CPUs: {} ({} usable)\n", topology.host.allowed->to_list(), topology.host.usable_count());
  }
  if (topology.host.quota_cpus) text += fmt::format("CPU quota: {:g} CPUs\n", *topology.host.quota_cpus);
  return text;
}

/// Names and notes may come from any file: what a terminal would obey is left out.
std::string printable(const std::string& text) {
  std::string result;
  for (const char c : text) result += std::iscntrl(static_cast<unsigned char>(c)) && c != '\n' ? '?' : c;
  return result;
}

}  // namespace

std::string to_text(const Topology& topology) {
  std::string text = topology.gpus.empty() ? "No GPUs\n" : gpu_table(topology);
  if (topology.gpus.size() > 1) {
    text += topology.gpus.size() <= matrix_gpus_max ? matrices(topology) : link_classes(topology);
  }
  text += host_lines(topology);
  if (!topology.notes.empty()) text += "Notes\n";
  for (const std::string& note : topology.notes) text += "  " + note + '\n';
  return printable(text);
}

}  // namespace skua
