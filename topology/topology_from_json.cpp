// Reads a Topology in the schema skua.topology/1.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>
#include <skua/topology.hpp>

#include "graph.hpp"
#include "json_fields.hpp"
#include "names.hpp"

namespace skua {
namespace {

using nlohmann::json;

constexpr int depth_max = 8;

/// Gives the parser its characters and counts the lines that it has passed.
class LineCountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCountingIterator(const char* at, std::size_t* line) : at_(at), line_(line) {}
  const char& operator*() const { return *at_; }
  LineCountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  LineCountingIterator operator++(int) {
    const LineCountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

/// Takes every GPU, link and NUMA node as the parser completes it, so that only one link is held as JSON at a time.
class Reader {
 public:
  explicit Reader(const std::string& source) : source_(source) {}
  Topology read(const std::string& text);

 private:
  bool on_event(int depth, json::parse_event_t event, json& parsed);
  void take_entry(const json& entry);
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
  std::size_t line_ = 1;
  std::size_t entry_line_ = 1;
  std::string section_;
  std::vector<NumberedGpu> gpus_;
  std::vector<LinkAtLine> links_;
  std::vector<std::string> unknown_notes_;
  Topology topology_;
};

bool Reader::on_event(int depth, json::parse_event_t event, json& parsed) {
  switch (event) {
    case json::parse_event_t::object_start:
    case json::parse_event_t::array_start:
      if (depth > depth_max) fail(line_, "nested too deeply");
      if (depth == 2) entry_line_ = line_;
      return true;
    case json::parse_event_t::key:
      if (depth == 1) section_ = parsed.get<std::string>();
      return true;
    case json::parse_event_t::object_end: {
      const bool entry = depth == 2 && (section_ == "gpus" || section_ == "links" || section_ == "numa_nodes");
      if (entry) take_entry(parsed);
      return !entry;
    }
    default:
      return true;
  }
}

void Reader::take_entry(const json& entry) {
  const JsonFields fields(entry, fmt::format("{}:{}: {}", source_, entry_line_, section_));
  if (section_ == "gpus") {
    take_gpu(fields);
  } else if (section_ == "links") {
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
  gpu.memory_bytes = fields.count("memory_bytes");
  gpu.hidden_by = fields.text("hidden_by");
  gpu.basis = fields.parsed("basis", "a basis such as kfd or file", basis_from).value_or(Basis::file);
  note_unknown(fields,
               {"id", "name", "arch", "pci", "partition", "hive", "numa_node", "cpus", "compute_units", "memory_bytes",
                "hidden_by", "basis"},
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
  link.count = fields.index("count");
  link.hops = fields.index("hops");
  link.bandwidth_gb_per_s = fields.positive("bandwidth_gb_per_s");
  link.assumed_bandwidth_gb_per_s = fields.positive("assumed_bandwidth_gb_per_s");
  link.locality = fields.parsed("locality", "switch, bridge, node, system or null", locality_from);
  link.basis = fields.parsed("basis", "a basis such as kfd or file", basis_from).value_or(Basis::file);
  if (link.count == 0u) fields.fail("count", "1 or more, or null");
  if (link.hops == 0u) fields.fail("hops", "1 or more, or null");
  note_unknown(
      fields,
      {"from", "to", "kind", "count", "hops", "bandwidth_gb_per_s", "assumed_bandwidth_gb_per_s", "locality", "basis"},
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
  for (const NumaNode& other : topology_.numa_nodes) {
    if (other.id == node.id) fail(entry_line_, fmt::format("numa node {} is there twice", node.id.index));
  }
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

/// The parser's own words, without its prefix and on one line.
std::string reason(const json::exception& error) {
  std::string text = error.what();
  if (const auto column = text.find("column "); column != std::string::npos) {
    if (const auto colon = text.find(": ", column); colon != std::string::npos) text.erase(0, colon + 2);
  } else if (const auto bracket = text.find("] "); bracket != std::string::npos) {
    text.erase(0, bracket + 2);
  }
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

Topology Reader::read(const std::string& text) {
  json root;
  try {
    const char* end = text.data() + text.size();
    root = json::parse(
        LineCountingIterator(text.data(), &line_), LineCountingIterator(end, &line_),
        [this](int depth, json::parse_event_t event, json& parsed) { return on_event(depth, event, parsed); });
  } catch (const json::exception& error) {
    fail(line_, "not JSON: " + reason(error));
  }
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
