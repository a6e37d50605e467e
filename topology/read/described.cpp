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
#include "bare_text.hpp"
#include "foreign.hpp"
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
  if (const auto what = foreign_xml(root.name)) fail(source, fmt::format("this is {}", *what));
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
  if (const auto what = foreign_json(content)) fail(source, fmt::format("this is {}", *what));
  return is_machine(content) ? read_machine(content, source) : topology_from_json(content, source);
}

Topology read_markup(std::string text, std::size_t begin, const std::string& source) {
  std::string markup = bare_markup(std::move(text), begin);
  return markup[begin] == '<' ? read_xml(with_declaration_first(std::move(markup), begin), source)
                              : read_json(markup, source);
}

bool begins_markup(std::string_view text, std::size_t begin) {
  if (text[begin] != '[') return text[begin] == '<' || text[begin] == '{';
  // What a program printed in brackets is no list.
  const auto next = text.find_first_not_of(" \t\r\n", begin + 1);
  return next != std::string_view::npos && std::string_view("[]{\"").find(text[next]) != std::string_view::npos;
}

const TextFormat* text_format_of(const std::string& text) {
  const auto* const found = std::find_if(text_formats.begin(), text_formats.end(),
                                         [&](const TextFormat& format) { return format.is_it(text); });
  return found == text_formats.end() ? nullptr : found;
}

bool is_known_markup(const std::string& text, std::size_t begin) {
  return text[begin] == '<' || is_machine(text) || contains(text, "\"skua.topology/") || foreign_json(text).has_value();
}

Topology read_any(const std::string& content, const std::string& source, TextNotes& notes) {
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff")) {
    fail(source, "a text in UTF-16, as PowerShell writes it; iconv -f UTF-16 -t UTF-8 makes one that can be read");
  }
  if (content.find('\0') != std::string::npos) fail(source, "not a text");
  std::string text = bare_text(content, notes);
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) fail(source, "nothing is in it");
  if (begins_markup(text, begin)) return read_markup(std::move(text), begin, source);
  const auto behind = find_markup(text);
  const TextFormat* format = text_format_of(behind ? text.substr(0, *behind) : text);
  if (format == nullptr && behind && is_known_markup(text, *behind))
    return read_markup(std::move(text), *behind, source);
  if (format == nullptr && behind) format = text_format_of(text);
  if (format != nullptr) return format->read(text, source);
  if (behind) return read_markup(std::move(text), *behind, source);
  fail(source, "not a known description of a machine");
}

}  // namespace

Topology read_described(const std::string& content, const std::string& source) {
  TextNotes notes(source);
  Topology topology = read_any(content, source, notes);
  notes.append_to(topology.notes);
  const std::size_t count = topology.gpus.size();
  if (count > 1 && topology.links.size() != count * (count - 1)) {
    std::vector<Link> known = std::move(topology.links);
    complete_links(topology, std::move(known), LinkKind::unknown, Basis::file);
  }
  return topology;
}

}  // namespace skua
