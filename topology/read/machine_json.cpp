// Reads GPUs and links of a machine description.
#include "machine_json.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>

#include <graph/amd_link.hpp>
#include <graph/graph.hpp>
#include <graph/partitions.hpp>
#include <graph/pci_devices.hpp>
#include <json/json_fields.hpp>
#include <json/json_sections.hpp>
#include <text/numbers.hpp>
#include "pasted_text.hpp"
#include "stated_links.hpp"

namespace skua {
namespace {

using nlohmann::json;

constexpr std::uint32_t units_max = 1 << 20;

bool is_negative(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() && found->get<double>() < 0;
}

std::optional<LinkKind> kind_from(const JsonFields& fields, const json& link) {
  constexpr std::uint64_t type_pcie = 2;
  constexpr std::uint64_t type_xgmi = 11;
  const auto type = link.find("type");
  if (type != link.end() && type->is_number()) {
    const auto number = fields.count("type");
    if (number == type_xgmi) return LinkKind::xgmi;
    return number == type_pcie ? std::optional(LinkKind::pcie) : std::nullopt;
  }
  const auto word = fields.text("type");
  if (word == "xgmi") return LinkKind::xgmi;
  return word == "pcie" ? std::optional(LinkKind::pcie) : std::nullopt;
}

/// What the driver says of a link that is direct, or of a way over several.
void take_xgmi_facts(const JsonFields& fields, Link& link) {
  constexpr std::uint32_t links_max = 1024;
  const auto min = fields.count("min");
  const auto max = fields.count("max");
  link.hops = hops_from_weight(fields.count("weight"));
  if (!link.hops) link.hops = fields.index("hops");
  if (link.hops == 0u) link.hops.reset();
  if (!link.hops && gb_per_s_from(max)) link.hops = 1;
  if (link.hops != 1u) return;
  const auto links = fields.count("links", links_max);
  link.count = links.value_or(0) > 0 ? std::optional(static_cast<std::uint32_t>(*links)) : link_count_from(min, max);
  link.bandwidth_gb_per_s = gb_per_s_from(max);
}

class MachineReader {
 public:
  explicit MachineReader(const std::string& source) : source_(source), notes_(source) {}
  Topology read(const std::string& content);

 private:
  struct ListedLink {
    std::size_t line;
    Link link;  ///< its ends by the indices that the file gives to GPUs
  };

  void take(const JsonEntry& entry);
  void take_gpu(const JsonFields& fields, const JsonEntry& entry);
  void take_link(const JsonFields& fields, const JsonEntry& entry);
  void take_hive(const JsonFields& fields, const JsonEntry& entry, Gpu& gpu);
  void take_rest(const json& root);
  void add_links();

  const std::string& source_;
  TextNotes notes_;
  std::map<std::uint32_t, std::uint32_t> place_of_;  ///< in the topology, by index
  std::set<PciAddress> addresses_;
  std::map<std::uint64_t, std::uint32_t> hives_;
  std::vector<ListedLink> links_;
  Topology topology_;
};

void MachineReader::take(const JsonEntry& entry) {
  const JsonFields fields(entry.object, fmt::format("{}:{}: {}", source_, entry.line, entry.section));
  if (entry.section == "gpus") {
    take_gpu(fields, entry);
  } else if (entry.section == "gpu_links") {
    take_link(fields, entry);
  } else if (topology_.numa_nodes.size() < gpu_count_max) {
    NumaNode node;
    node.id = NumaId{static_cast<std::uint32_t>(topology_.numa_nodes.size())};
    topology_.numa_nodes.push_back(std::move(node));
  }
}

/// Hive numbers may be above 2^63, which is why they are written as texts as a rule.
void MachineReader::take_hive(const JsonFields& fields, const JsonEntry& entry, Gpu& gpu) {
  const auto found = entry.object.find("hive_id");
  const bool is_text = found != entry.object.end() && found->is_string();
  const auto hive = is_text ? fields.parsed("hive_id", "a whole number",
                                            [](const std::string& text) { return number_from<std::uint64_t>(text); })
                            : fields.count("hive_id");
  if (hive.value_or(0) == 0) return;
  gpu.hive = hives_.emplace(*hive, static_cast<std::uint32_t>(hives_.size())).first->second;
}

void MachineReader::take_gpu(const JsonFields& fields, const JsonEntry& entry) {
  const auto place = static_cast<std::uint32_t>(topology_.gpus.size());
  if (place == gpu_count_max) {
    throw InputError(fmt::format("{}:{}: more than {} gpus", source_, entry.line, gpu_count_max));
  }
  Gpu gpu;
  gpu.basis = Basis::file;
  const bool is_new = place_of_.emplace(fields.index("index").value_or(place), place).second;
  if (!is_new) throw InputError(fmt::format("{}:{}: two gpus have one index", source_, entry.line));
  gpu.pci = fields.parsed("bdf", "an address such as 0000:c1:00.0",
                          [](const std::string& text) { return PciAddress::from_text(text); });
  if (gpu.pci && !addresses_.insert(*gpu.pci).second) {
    notes_.add(entry.line, "two GPUs have one address", gpu.pci->to_text());
  }
  gpu.arch = fields.text("gfx");
  gpu.name = fields.text("name").value_or("");
  const auto device = fields.count("device_id");
  if (gpu.name.empty() && device) gpu.name = pci_gpu_name(pci_vendor_amd, *device);
  const auto units = fields.count("cu", units_max);
  if (units.value_or(0) > 0) gpu.compute_units = static_cast<std::uint32_t>(*units);
  const char* node = entry.object.contains("cpu_node") ? "cpu_node" : "numa";
  // -1 is how a driver says that it does not know.
  const auto number = is_negative(entry.object, node) ? std::nullopt : fields.index(node);
  if (number) gpu.numa_node = NumaId{*number};
  take_hive(fields, entry, gpu);
  topology_.gpus.push_back(std::move(gpu));
}

void MachineReader::take_link(const JsonFields& fields, const JsonEntry& entry) {
  const auto kind = kind_from(fields, entry.object);
  if (!kind) fields.fail("type", "xgmi or pcie between GPUs");
  ListedLink listed;
  listed.line = entry.line;
  listed.link.from = GpuId{fields.required_index("a")};
  listed.link.to = GpuId{fields.required_index("b")};
  listed.link.kind = *kind;
  listed.link.basis = Basis::file;
  if (kind == LinkKind::xgmi) {
    take_xgmi_facts(fields, listed.link);
  } else {
    listed.link.bandwidth_gb_per_s = gb_per_s_from(fields.count("max"));
  }
  links_.push_back(listed);
}

void MachineReader::take_rest(const json& root) {
  if (!root.is_object()) throw InputError(fmt::format("{}:1: not a JSON object", source_));
  const JsonFields fields(root, fmt::format("{}:1", source_));
  for (const char* name : {"gpus", "gpu_links", "cpus"}) {
    const auto found = root.find(name);
    if (found != root.end() && (!found->is_array() || !found->empty())) fields.fail(name, "a list of objects");
  }
  if (topology_.gpus.empty()) fields.fail("gpus", "a list of GPUs");
  const auto arch = fields.text("gfx");
  const auto units = fields.count("cu", units_max);
  for (Gpu& gpu : topology_.gpus) {
    if (!gpu.arch) gpu.arch = arch;
    if (!gpu.compute_units && units.value_or(0) > 0) gpu.compute_units = static_cast<std::uint32_t>(*units);
    if (gpu.name.empty()) gpu.name = gpu.arch.value_or("");
  }
  number_partitions(topology_.gpus);
}

void MachineReader::add_links() {
  StatedLinks stated;
  for (const auto& [line, listed] : links_) {
    const auto from = place_of_.find(listed.from.index);
    const auto to = place_of_.find(listed.to.index);
    if (from == place_of_.end() || to == place_of_.end()) {
      notes_.add(line, "a link leads to a GPU that is not there",
                 fmt::format("{} to {}", listed.from.index, listed.to.index));
      continue;
    }
    if (from == to) {
      notes_.add(line, "a link leads from a GPU to itself", fmt::format("{}", listed.from.index));
      continue;
    }
    Link link = listed;
    if (are_in_one_package(topology_.gpus[from->second], topology_.gpus[to->second])) {
      link.kind = LinkKind::package;
      link.hops = 1;
      link.count.reset();
    }
    link.from = GpuId{from->second};
    link.to = GpuId{to->second};
    stated.add(link, line);
    std::swap(link.from, link.to);
    stated.add(link, line);
  }
  complete_links(topology_, stated.take(topology_, notes_), LinkKind::pcie, Basis::file);
}

Topology MachineReader::read(const std::string& content) {
  const json root = read_json_sections(content, source_, {"gpus", "gpu_links", "cpus"},
                                       [this](const JsonEntry& entry) { take(entry); });
  take_rest(root);
  add_links();
  if (hives_.empty()) number_hives_by_links(topology_);
  notes_.append_to(topology_.notes);
  return std::move(topology_);
}

}  // namespace

bool is_machine(const std::string& content) {
  if (contains(content, "\"skua.topology/")) return false;
  return contains(content, "\"gpu_links\"") || contains(content, "\"host_link\"") || contains(content, "\"bdf\"");
}

Topology read_machine(const std::string& content, const std::string& source) {
  return MachineReader(source).read(content);
}

}  // namespace skua
