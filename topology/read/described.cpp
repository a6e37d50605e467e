// Finds the reader for a description.
#include "described.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <skua/input.hpp>

#include <graph/graph.hpp>
#include <xml/xml_document.hpp>
#include "amd_smi.hpp"
#include "bandwidth_table.hpp"
#include "hwloc_xml.hpp"
#include "machine_json.hpp"
#include "nccl_xml.hpp"
#include "nvidia_smi.hpp"
#include "pasted_text.hpp"
#include "rocm_smi.hpp"

namespace skua {
namespace {

struct TextFormat {
  bool (*is_it)(const std::string& content);
  Topology (*read)(const std::string& content, const std::string& source);
};

constexpr std::array<TextFormat, 4> text_formats = {{{is_rocm_bandwidth_test, read_bandwidth_table},
                                                     {is_rocm_smi_text, read_rocm_smi_text},
                                                     {is_amd_smi, read_amd_smi},
                                                     {is_nvidia_smi, read_nvidia_smi}}};

[[noreturn]] void fail(const std::string& source, std::string_view what) {
  throw InputError(
      fmt::format("{}: {}; what can be read: skua JSON, machine descriptions in JSON, topology XML of NCCL, RCCL and "
                  "hwloc, and the text of nvidia-smi topo -m, rocm-smi --showtopo, amd-smi topology and "
                  "rocm-bandwidth-test",
                  source, what));
}

Topology read_xml(const std::string& content, const std::string& source) {
  const XmlDocument document = XmlDocument::read(content, source);
  const XmlElement& root = document.root();
  if (root.name == "system") return read_nccl_xml(root, source);
  if (root.name == "topology") return read_hwloc_xml(root, source);
  fail(source, fmt::format("XML, but with <{}> around it, which is no topology", shown(root.name)));
}

/// No blanks may stand before the declaration of an XML file. They are moved behind it, so that lines keep their
/// numbers.
std::string with_declaration_first(std::string content, std::size_t begin) {
  const auto end = content.find("?>", begin);
  if (content.compare(begin, 5, "<?xml") != 0 || end == std::string::npos) return content;
  const auto at = [&](std::size_t place) { return content.begin() + static_cast<std::ptrdiff_t>(place); };
  std::rotate(content.begin(), at(begin), at(end + 2));
  return content;
}

Topology read_json(const std::string& content, const std::string& source) {
  return is_machine(content) ? read_machine(content, source) : topology_from_json(content, source);
}

Topology read_any(const std::string& content, const std::string& source) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  const std::size_t mark_size = content.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  const auto begin = content.find_first_not_of(" \t\r\n", mark_size);
  if (begin == std::string::npos) fail(source, "nothing is in it");
  if (content.find('\0') != std::string::npos) fail(source, "not a text");
  if (content[begin] == '<') return read_xml(with_declaration_first(content, begin), source);
  if (content[begin] == '{' || content[begin] == '[') return read_json(content, source);
  for (const TextFormat& format : text_formats) {
    if (format.is_it(content)) return format.read(content, source);
  }
  fail(source, "not a known description of a machine");
}

}  // namespace

Topology read_described(const std::string& content, const std::string& source) {
  Topology topology = read_any(content, source);
  const std::size_t count = topology.gpus.size();
  if (count > 1 && topology.links.size() != count * (count - 1)) {
    std::vector<Link> known = std::move(topology.links);
    complete_links(topology, std::move(known), LinkKind::unknown, Basis::file);
  }
  return topology;
}

}  // namespace skua
