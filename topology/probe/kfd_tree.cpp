// Reads the files of a KFD topology.
#include "kfd_tree.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <text/numbers.hpp>
#include <text/small_file.hpp>

namespace skua {
namespace {

namespace fs = std::filesystem;

// Far above any machine; a folder with more entries is not what it seems.
constexpr std::size_t entries_max = 4096;

class TreeReader {
 public:
  explicit TreeReader(fs::path nodes) : nodes_(std::move(nodes)) {}
  KfdTree read();

 private:
  std::vector<std::uint32_t> numbered_entries(const fs::path& folder);
  std::optional<KfdProperties> read_properties(const fs::path& file);
  void read_line(std::string_view line, std::size_t line_number, const fs::path& file, KfdProperties& properties);
  std::optional<KfdNode> read_node(std::uint32_t number);
  std::vector<KfdLink> read_links(const KfdNode& node, const char* kind);
  std::optional<std::uint64_t> read_memory(const fs::path& folder);
  void drop_links_to_nowhere();
  /// "nodes/3/properties" of a path below.
  std::string shown(const fs::path& file) const {
    return (fs::path("nodes") / file.lexically_relative(nodes_)).string();
  }

  template <class... Values>
  void note(fmt::format_string<Values...> format, Values&&... values) {
    constexpr std::size_t notes_max = 64;
    if (tree_.notes.size() < notes_max)
      tree_.notes.push_back("kfd: " + fmt::format(format, std::forward<Values>(values)...));
  }

  fs::path nodes_;
  KfdTree tree_;
};

std::vector<std::uint32_t> TreeReader::numbered_entries(const fs::path& folder) {
  std::vector<std::uint32_t> numbers;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (const auto number = number_from<std::uint32_t>(entry->path().filename().native())) numbers.push_back(*number);
    if (numbers.size() > entries_max) {
      note("{} has more than {} entries; the rest is left out", shown(folder), entries_max);
      break;
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) note("{}: {}", shown(folder), error.message());
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void TreeReader::read_line(std::string_view line, std::size_t line_number, const fs::path& file,
                           KfdProperties& properties) {
  const auto space = line.find(' ');
  const std::string_view text = space == std::string_view::npos ? "" : line.substr(space + 1);
  const auto value = number_from<std::uint64_t>(text);
  if (!value) {
    note("{} line {}: '{}' is not a name and a number", shown(file), line_number, line.substr(0, 60));
    return;
  }
  properties.emplace(line.substr(0, space), *value);
}

std::optional<KfdProperties> TreeReader::read_properties(const fs::path& file) {
  const auto content = read_small_file(file);
  if (!content) return std::nullopt;
  KfdProperties properties;
  std::size_t line_number = 0;
  for (std::string_view rest = *content; !rest.empty();) {
    const auto line_end = rest.find('\n');
    std::string_view line = rest.substr(0, line_end);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    ++line_number;
    if (!line.empty()) read_line(line, line_number, file, properties);
    rest = line_end == std::string_view::npos ? "" : rest.substr(line_end + 1);
  }
  return properties;
}

std::vector<KfdLink> TreeReader::read_links(const KfdNode& node, const char* kind) {
  std::vector<KfdLink> links;
  const fs::path folder = nodes_ / std::to_string(node.number) / kind;
  for (const std::uint32_t number : numbered_entries(folder)) {
    const fs::path file = folder / std::to_string(number) / "properties";
    auto properties = read_properties(file);
    const auto to = properties ? property(*properties, "node_to") : std::nullopt;
    if (!to || *to > entries_max) {
      note("{} cannot be read or names no node; the link is left out", shown(file));
      continue;
    }
    links.push_back({fmt::format("{}/{}", kind, number), static_cast<std::uint32_t>(*to), std::move(*properties)});
  }
  return links;
}

std::optional<std::uint64_t> TreeReader::read_memory(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t number : numbered_entries(folder)) {
    const auto properties = read_properties(folder / std::to_string(number) / "properties");
    const auto size = properties ? property(*properties, "size_in_bytes") : std::nullopt;
    // Heaps 0 to 2 are system memory and the two halves of a GPU's; the others are windows and scratch pads.
    const bool is_memory = properties && property(*properties, "heap_type").value_or(3) <= 2;
    if (size && is_memory && *size <= UINT64_MAX - bytes) bytes += *size;
  }
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::optional<KfdNode> TreeReader::read_node(std::uint32_t number) {
  const fs::path folder = nodes_ / std::to_string(number);
  auto properties = read_properties(folder / "properties");
  if (!properties || properties->empty()) {
    note("nodes/{}/properties is {}; if the node is a GPU, it is hidden from this process", number,
         properties ? "empty" : "unreadable");
    return std::nullopt;
  }
  KfdNode node;
  node.number = number;
  node.properties = std::move(*properties);
  node.name = read_small_file(folder / "name").value_or("");
  node.gpu_id = number_from<std::uint64_t>(read_small_file(folder / "gpu_id").value_or(""));
  node.io_links = read_links(node, "io_links");
  node.p2p_links = read_links(node, "p2p_links");
  node.memory_bytes = property(node.properties, "local_mem_size");
  if (node.memory_bytes.value_or(0) == 0) node.memory_bytes = read_memory(folder / "mem_banks");
  return node;
}

void TreeReader::drop_links_to_nowhere() {
  const auto exists = [&](std::uint32_t number) {
    const auto found = std::lower_bound(tree_.nodes.begin(), tree_.nodes.end(), number,
                                        [](const KfdNode& node, std::uint32_t wanted) { return node.number < wanted; });
    return found != tree_.nodes.end() && found->number == number;
  };
  for (KfdNode& node : tree_.nodes) {
    for (std::vector<KfdLink>* links : {&node.io_links, &node.p2p_links}) {
      std::erase_if(*links, [&](const KfdLink& link) {
        if (link.to != node.number && exists(link.to)) return false;
        note("nodes/{}/{} leads to node {}, which is {}; the link is left out", node.number, link.folder, link.to,
             link.to == node.number ? "the same" : "not there");
        return true;
      });
    }
  }
}

KfdTree TreeReader::read() {
  for (const std::uint32_t number : numbered_entries(nodes_)) {
    if (auto node = read_node(number)) tree_.nodes.push_back(std::move(*node));
  }
  drop_links_to_nowhere();
  return std::move(tree_);
}

bool holds_nodes(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    const bool is_node = number_from<std::uint32_t>(entry->path().filename().native()) &&
                         fs::exists(entry->path() / "properties", ignored);
    if (is_node) return true;
  }
  return false;
}

bool has_gpu_units(const KfdNode& node) {
  return property(node.properties, "simd_count").value_or(0) > 0;
}

/// What the driver starts gets a gpu_id. Captures often lack that file; there, the driver's own lines tell: it writes
/// the vendor and the place of what it has started, and the firmware's table leaves both 0.
bool is_started(const KfdNode& node) {
  if (node.gpu_id) return *node.gpu_id != 0;
  const auto vendor = property(node.properties, "vendor_id");
  const auto location = property(node.properties, "location_id");
  const bool says_nothing = !vendor && !location;
  return says_nothing || vendor.value_or(0) != 0 || location.value_or(0) != 0;
}

}  // namespace

std::optional<std::uint64_t> property(const KfdProperties& properties, std::string_view name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::nullopt : std::optional(found->second);
}

bool is_gpu(const KfdNode& node) {
  return has_gpu_units(node) && is_started(node);
}

bool is_unstarted_gpu(const KfdNode& node) {
  return has_gpu_units(node) && !is_started(node);
}

std::optional<fs::path> find_kfd_nodes(const fs::path& folder) {
  for (const char* below : {"", "nodes", "topology/nodes", "kfd/topology/nodes", "kfd/kfd/topology/nodes",
                            "class/kfd/kfd/topology/nodes", "sys/class/kfd/kfd/topology/nodes"}) {
    const fs::path candidate = *below == '\0' ? folder : folder / below;
    if (holds_nodes(candidate)) return candidate;
  }
  return std::nullopt;
}

KfdTree read_kfd_tree(const fs::path& nodes) {
  return TreeReader(nodes).read();
}

}  // namespace skua
