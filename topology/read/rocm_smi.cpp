// Reads rocm-smi's tables, and its lines "GPU[n] : name: value".
#include "rocm_smi.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <graph/graph.hpp>
#include <text/pieces.hpp>
#include "amd_tables.hpp"

namespace skua {
namespace {

bool is_gpu_label(std::string_view word) {
  return gpu_number(word).has_value();
}

/// The kind of table that a title begins; titles stand between equals signs, which a copy may have lost.
std::optional<AmdTable> title_of(std::string_view line) {
  const bool is_ruled = line.starts_with("==");
  if (!is_ruled && !contains(line, "between two GPUs")) return std::nullopt;
  if (contains(line, "Weight between")) return AmdTable::weight;
  if (contains(line, "Hops between")) return AmdTable::hops;
  if (contains(line, "Link Type between")) return AmdTable::type;
  if (contains(line, "accessibility between")) return AmdTable::access;
  if (is_ruled && contains(line, " Bandwidth ")) return AmdTable::bandwidth;
  return AmdTable::other;
}

class RocmSmiReader {
 public:
  RocmSmiReader(std::string_view text, const std::string& source) : lines_(text), notes_(source) {}
  Topology read();

 private:
  struct GpuLines {
    std::optional<std::uint32_t> numa_node;
    std::optional<std::uint32_t> numa_affinity;
    Gpu gpu;
  };

  bool read_gpu_line(const TextLine& line);
  void read_numa(const TextLine& line, std::string_view value, std::optional<std::uint32_t>& node);

  TextLines lines_;
  TextNotes notes_;
  AmdTables tables_{is_gpu_label, "", notes_};
  std::map<std::uint32_t, GpuLines> gpus_;
};

void RocmSmiReader::read_numa(const TextLine& line, std::string_view value, std::optional<std::uint32_t>& node) {
  node = small_number(value);
  // Kernels without NUMA say -1, which some versions print as the largest number of 32 bits.
  const bool says_none = value == "-1" || value == "4294967295" || value == "None" || value == "N/A";
  if (!node && !says_none) notes_.add(line.number, "a NUMA node is not understood", shown(value));
}

/// "GPU0 : (Topology) Numa Node: 1", and lines of other commands in the same form.
bool RocmSmiReader::read_gpu_line(const TextLine& line) {
  // Something may stand before it, such as the time of a log.
  const auto text = line.text.substr(std::min(line.text.find("GPU"), line.text.size()));
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto number = gpu_number(trimmed(text.substr(0, colon)));
  if (!number) return false;
  const auto value_colon = text.find(": ", colon + 1);
  if (value_colon == std::string_view::npos) return true;
  const auto name = trimmed(text.substr(colon + 1, value_colon - colon - 1));
  const auto value = trimmed(text.substr(value_colon + 2));
  if (gpus_.size() > gpu_count_max) check_gpu_count(gpus_.size(), line.number, notes_, "");
  GpuLines& lines = gpus_[*number];
  if (contains(name, "Numa Node")) read_numa(line, value, lines.numa_node);
  if (contains(name, "Numa Affinity")) read_numa(line, value, lines.numa_affinity);
  if (name == "PCI Bus") lines.gpu.pci = PciAddress::from_text(value);
  if (name == "GFX Version" && value.starts_with("gfx")) lines.gpu.arch = shown(value);
  return true;
}

Topology RocmSmiReader::read() {
  while (const auto line = lines_.next()) {
    if (const auto title = title_of(trimmed(line->text))) {
      tables_.begin(*title, line->number);
    } else if (!read_gpu_line(*line)) {
      tables_.add(*line);
    }
  }
  tables_.finish();
  for (const auto label : tables_.labels()) gpus_[*gpu_number(label)];
  check_gpu_count(gpus_.size(), lines_.count(), notes_, "a table of GPUs; `rocm-smi --showtopo` prints them");

  Topology topology;
  std::vector<std::string> names;
  for (auto& [number, lines] : gpus_) {
    Gpu gpu = std::move(lines.gpu);
    gpu.name = "GPU" + std::to_string(number);
    const auto node = lines.numa_node ? lines.numa_node : lines.numa_affinity;
    if (node) gpu.numa_node = NumaId{*node};
    gpu.basis = Basis::file;
    names.push_back(gpu.name);
    topology.gpus.push_back(std::move(gpu));
  }
  AmdPairs pairs({names.begin(), names.end()});
  tables_.add_to(pairs);
  if (topology.gpus.size() > 1 && tables_.table(AmdTable::type) == nullptr) {
    notes_.add(1, "there is no table of link types; kinds are told from weights and speeds where these show them");
  }
  pairs.link(topology, notes_);
  notes_.append_to(topology.notes);
  return topology;
}

}  // namespace

bool is_rocm_smi_text(const std::string& content) {
  const auto first = content.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && content[first] == '{';
  return !is_json && (contains(content, "ROCm System Management Interface") || contains(content, "between two GPUs") ||
                      contains(content, "(Topology) Numa"));
}

Topology read_rocm_smi_text(const std::string& content, const std::string& source) {
  const std::string text = plain_text(content);
  return RocmSmiReader(text, source).read();
}

}  // namespace skua
