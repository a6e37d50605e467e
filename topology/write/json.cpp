// Writes a Topology in the schema skua.topology/1.
#include <iterator>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skua/topology.hpp>

#include <graph/names.hpp>

namespace skua {
namespace {

// Written by hand and not through a tree of values: a thousand devices have a million links.
class Writer {
 public:
  void raw(std::string_view text) { text_ += text; }

  void value(const std::string& text) {
    text_ += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  void value(std::string_view word) { fmt::format_to(std::back_inserter(text_), "\"{}\"", word); }
  void value(const CpuSet& cpus) { value(std::string_view(cpus.to_list())); }
  void value(const PciAddress& address) { value(std::string_view(address.to_text())); }
  void value(NumaId id) { value(id.index); }
  void value(LinkKind kind) { value(name_of(kind)); }
  void value(Locality locality) { value(name_of(locality)); }
  void value(Basis basis) { value(name_of(basis)); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void value(Number number) { fmt::format_to(std::back_inserter(text_), "{}", number); }
  template <class Value>
  void value(const std::optional<Value>& optional) {
    if (optional) {
      value(*optional);
    } else {
      text_ += "null";
    }
  }

  /// `,"name":value`, without the comma for the first field of an object.
  template <class Value>
  void field(std::string_view name, const Value& content) {
    if (text_.back() != '{') text_ += ',';
    fmt::format_to(std::back_inserter(text_), "\"{}\":", name);
    value(content);
  }

  template <class Items, class Write>
  void list(std::string_view name, const Items& items, Write write) {
    fmt::format_to(std::back_inserter(text_), ",\n\"{}\":[", name);
    const char* separator = "\n  ";
    for (const auto& item : items) {
      text_ += separator;
      separator = ",\n  ";
      write(item);
    }
    text_ += ']';
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_gpu(Writer& writer, const Gpu& gpu, std::size_t id) {
  writer.raw("{");
  writer.field("id", id);
  writer.field("name", gpu.name);
  writer.field("arch", gpu.arch);
  writer.field("pci", gpu.pci);
  writer.field("partition", gpu.partition);
  writer.field("hive", gpu.hive);
  writer.field("numa_node", gpu.numa_node);
  writer.field("cpus", gpu.cpus);
  writer.field("compute_units", gpu.compute_units);
  writer.field("xcds", gpu.xcds);
  writer.field("shader_engines", gpu.shader_engines);
  writer.field("hardware_queues", gpu.hardware_queues);
  writer.field("integrated", gpu.integrated);
  writer.field("memory_bytes", gpu.memory_bytes);
  writer.field("hidden_by", gpu.hidden_by);
  writer.field("basis", gpu.basis);
  writer.raw("}");
}

void write_link(Writer& writer, const Link& link) {
  writer.raw("{");
  writer.field("from", link.from.index);
  writer.field("to", link.to.index);
  writer.field("kind", link.kind);
  writer.field("count", link.count);
  writer.field("hops", link.hops);
  writer.field("rank", link.rank);
  writer.field("bandwidth_gb_per_s", link.bandwidth_gb_per_s);
  writer.field("assumed_bandwidth_gb_per_s", link.assumed_bandwidth_gb_per_s);
  writer.field("locality", link.locality);
  writer.field("basis", link.basis);
  writer.raw("}");
}

void write_numa_node(Writer& writer, const NumaNode& node) {
  writer.raw("{");
  writer.field("id", node.id);
  writer.field("cpus", node.cpus);
  writer.field("memory_bytes", node.memory_bytes);
  writer.field("package", node.package);
  writer.raw("}");
}

}  // namespace

std::string to_json(const Topology& topology) {
  Writer writer;
  writer.raw("{");
  writer.field("schema", std::string_view("skua.topology/1"));
  writer.list("gpus", topology.gpus,
              [&, id = std::size_t{0}](const Gpu& gpu) mutable { write_gpu(writer, gpu, id++); });
  writer.list("links", topology.links, [&](const Link& link) { write_link(writer, link); });
  writer.list("numa_nodes", topology.numa_nodes, [&](const NumaNode& node) { write_numa_node(writer, node); });
  writer.raw(",\n");
  writer.raw("\"allowed_cpus\":");
  writer.value(topology.host.allowed);
  writer.field("cpu_quota", topology.host.quota_cpus);
  writer.list("notes", topology.notes, [&](const std::string& note) { writer.value(note); });
  writer.raw("}\n");
  return writer.take();
}

}  // namespace skua
