// Reads a Topology in the schema skua.topology/1.
#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>
#include <skua/topology.hpp>

#include <graph/graph.hpp>
#include <graph/names.hpp>
#include <json/json_fields.hpp>
#include <json/json_sections.hpp>

namespace skua {
namespace {

using nlohmann::json;

std::optional<std::uint32_t> one_or_more(const JsonFields& fields, const char* name) {
  const auto number = fields.index(name);
  if (number == 0u) fields.fail(name, "1 or more, or null");
  return number;
}

/// Takes every GPU, link and NUMA node as the parser completes it, so that only one link is held as JSON at a time.
class Reader {
 public:
  explicit Reader(const std::string& source) : source_(source) {}
  Topology read(const std::string& text);

 private:
  void take_entry(const JsonEntry& entry);
  void take_gpu(const JsonFields& fields);
  void take_link(const JsonFields& fields);
  void take_numa_node(const JsonFields& fields);
  void take_rest(const json& root);
  void note_unknown(const JsonFields& fields, std::initializer_list<const char*> known, std::size_t line);
  void order_gpus();
  void order_links();
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", source_, line, what));
  }

  struct NumberedGpu {
    std::uint32_t id;
    std::size_t line;
    Gpu gpu;
  };
  struct LinkAtLine {
    std::size_t line;
    Link link;
  };

  const std::string& source_;
  std::size_t entry_line_ = 1;
  std::vector<NumberedGpu> gpus_;
  std::vector<LinkAtLine> links_;
  std::set<NumaId> numa_ids_;
  std::vector<std::string> unknown_notes_;
  Topology topology_;
};

void Reader::take_entry(const JsonEntry& entry) {
  entry_line_ = entry.line;
  const JsonFields fields(entry.object, fmt::format("{}:{}: {}", source_, entry.line, entry.section));
  if (entry.section == "gpus") {
    take_gpu(fields);
  } else if (entry.section == "links") {
    take_link(fields);
  } else {
    take_numa_node(fields);
  }
}

void Reader::note_unknown(const JsonFields& fields, std::initializer_list<const char*> known, std::size_t line) {
  constexpr std::size_t notes_max = 16;
  for (const std::string& name : fields.unknown_fields(known)) {
    if (unknown_notes_.size() == notes_max) return;
    unknown_notes_.push_back(fmt::format("{}:{}: the field \"{}\" is not known and was left out", source_, line, name));
  }
}

void Reader::take_gpu(const JsonFields& fields) {
  if (gpus_.size() == gpu_count_max) fail(entry_line_, fmt::format("more than {} gpus", gpu_count_max));
  Gpu gpu;
  const std::uint32_t id = fields.required_index("id");
  gpu.name = fields.text("name").value_or("");
  gpu.arch = fields.text("arch");
  gpu.pci = fields.parsed("pci", "an address such as 0000:c1:00.0",
                          [](const std::string& text) { return PciAddress::from_text(text); });
  gpu.partition = fields.index("partition");
  gpu.hive = fields.index("hive");
  if (const auto node = fields.index("numa_node")) gpu.numa_node = NumaId{*node};
  gpu.cpus =
      fields.parsed("cpus", "a list such as 0-3,8", [](const std::string& text) { return CpuSet::from_list(text); });
  gpu.compute_units = fields.index("compute_units");
  gpu.xcds = one_or_more(fields, "xcds");
  gpu.shader_engines = one_or_more(fields, "shader_engines");
  gpu.hardware_queues = one_or_more(fields, "hardware_queues");
  gpu.integrated = fields.truth("integrated");
  gpu.memory_bytes = fields.count("memory_bytes");
  gpu.hidden_by = fields.text("hidden_by");
  gpu.basis = fields.parsed("basis", "a basis such as kfd or file", basis_from).value_or(Basis::file);
  note_unknown(fields,
               {"id", "name", "arch", "pci", "partition", "hive", "numa_node", "cpus", "compute_units", "xcds",
                "shader_engines", "hardware_queues", "integrated", "memory_bytes", "hidden_by", "basis"},
               entry_line_);
  gpus_.push_back({id, entry_line_, std::move(gpu)});
}

void Reader::take_link(const JsonFields& fields) {
  if (links_.size() == gpu_count_max * gpu_count_max) fail(entry_line_, "too many links");
  Link link;
  link.from = GpuId{fields.required_index("from")};
  link.to = GpuId{fields.required_index("to")};
  link.kind =
      fields.parsed("kind", "xgmi, nvlink, pcie, package or unknown", link_kind_from).value_or(LinkKind::unknown);
  link.count = one_or_more(fields, "count");
  link.hops = one_or_more(fields, "hops");
  link.rank = fields.index("rank");
  link.bandwidth_gb_per_s = fields.positive("bandwidth_gb_per_s");
  link.assumed_bandwidth_gb_per_s = fields.positive("assumed_bandwidth_gb_per_s");
  link.locality = fields.parsed("locality", "switch, bridge, node, system or null", locality_from);
  link.basis = fields.parsed("basis", "a basis such as kfd or file", basis_from).value_or(Basis::file);
  note_unknown(fields,
               {"from", "to", "kind", "count", "hops", "rank", "bandwidth_gb_per_s", "assumed_bandwidth_gb_per_s",
                "locality", "basis"},
               entry_line_);
  links_.push_back({entry_line_, link});
}

void Reader::take_numa_node(const JsonFields& fields) {
  NumaNode node;
  node.id = NumaId{fields.required_index("id")};
  node.cpus =
      fields.parsed("cpus", "a list such as 0-3,8", [](const std::string& text) { return CpuSet::from_list(text); })
          .value_or(CpuSet());
  node.memory_bytes = fields.count("memory_bytes");
  node.package = fields.index("package");
  note_unknown(fields, {"id", "cpus", "memory_bytes", "package"}, entry_line_);
  const bool is_new = numa_ids_.insert(node.id).second;
  if (!is_new) fail(entry_line_, fmt::format("numa node {} is there twice", node.id.index));
  topology_.numa_nodes.push_back(std::move(node));
}

void Reader::take_rest(const json& root) {
  if (!root.is_object()) fail(1, "not a JSON object");
  const JsonFields fields(root, fmt::format("{}:1", source_));
  if (fields.text("schema") != "skua.topology/1") fields.fail("schema", "\"skua.topology/1\"");
  if (!root.contains("gpus")) fields.fail("gpus", "there");
  for (const char* name : {"gpus", "links", "numa_nodes"}) {
    const auto found = root.find(name);
    // The objects in them were taken out; whatever is left is something else.
    if (found != root.end() && (!found->is_array() || !found->empty())) fields.fail(name, "a list of objects");
  }
  topology_.host.allowed = fields.parsed("allowed_cpus", "a list such as 0-3,8",
                                         [](const std::string& text) { return CpuSet::from_list(text); });
  topology_.host.quota_cpus = fields.positive("cpu_quota");
  const auto notes = root.find("notes");
  if (notes != root.end() && !notes->is_array()) fields.fail("notes", "a list of texts");
  if (notes != root.end()) {
    for (const json& note : *notes) {
      if (!note.is_string()) fields.fail("notes", "a list of texts");
      topology_.notes.push_back(note.get<std::string>());
    }
  }
  note_unknown(fields, {"schema", "gpus", "links", "numa_nodes", "allowed_cpus", "cpu_quota", "notes"}, 1);
}

void Reader::order_gpus() {
  std::stable_sort(gpus_.begin(), gpus_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  for (std::uint32_t index = 0; index < gpus_.size(); ++index) {
    NumberedGpu& numbered = gpus_[index];
    if (numbered.id < index) fail(numbered.line, fmt::format("gpu {} is there twice", numbered.id));
    if (numbered.id > index) fail(numbered.line, fmt::format("gpu {} is there, but gpu {} is not", numbered.id, index));
    topology_.gpus.push_back(std::move(numbered.gpu));
  }
}

void Reader::order_links() {
  const auto pair = [](const LinkAtLine& at) { return std::tie(at.link.from, at.link.to); };
  std::stable_sort(links_.begin(), links_.end(), [&](const auto& a, const auto& b) { return pair(a) < pair(b); });
  topology_.links.reserve(links_.size());
  for (const LinkAtLine& at : links_) {
    const Link& link = at.link;
    for (const GpuId end : {link.from, link.to}) {
      if (end.index >= topology_.gpus.size())
        fail(at.line, fmt::format("a link names gpu {}, which is not there", end.index));
    }
    if (link.from == link.to) fail(at.line, fmt::format("a link joins gpu {} with itself", link.from.index));
    const bool repeated =
        !topology_.links.empty() && topology_.links.back().from == link.from && topology_.links.back().to == link.to;
    if (repeated) fail(at.line, fmt::format("the link from {} to {} is there twice", link.from.index, link.to.index));
    topology_.links.push_back(link);
  }
}

Topology Reader::read(const std::string& text) {
  const json root = read_json_sections(text, source_, {"gpus", "links", "numa_nodes"},
                                       [this](const JsonEntry& entry) { take_entry(entry); });
  take_rest(root);
  order_gpus();
  order_links();
  topology_.notes.insert(topology_.notes.end(), unknown_notes_.begin(), unknown_notes_.end());
  return std::move(topology_);
}

}  // namespace

Topology topology_from_json(const std::string& text, const std::string& source) {
  return Reader(source).read(text);
}

}  // namespace skua
