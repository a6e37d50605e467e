// The node folders of a KFD topology, as the kernel shows them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace skua {

/// "name value" lines. A line that is missing, malformed or too large is an absent property.
using KfdProperties = std::map<std::string, std::uint64_t, std::less<>>;

std::optional<std::uint64_t> property(const KfdProperties& properties, std::string_view name);

struct KfdLink {
  std::string folder;  ///< "io_links/3"
  std::uint32_t to = 0;
  KfdProperties properties;
};

struct KfdNode {
  std::uint32_t number = 0;
  std::string name;
  std::optional<std::uint64_t> gpu_id;  ///< 0 on a node without a GPU that runs; nothing: there is no such file
  KfdProperties properties;
  std::vector<KfdLink> io_links;
  std::vector<KfdLink> p2p_links;
  std::optional<std::uint64_t> memory_bytes;
};

struct KfdTree {
  std::vector<KfdNode> nodes;  ///< by number; numbers may have gaps
  std::vector<std::string> notes;
};

/// Whether the node is a GPU, or a CPU and a GPU in one, that the driver has started.
bool is_gpu(const KfdNode& node);
/// Whether the node has the units of a GPU that the driver did not start: a card that failed, or whose driver is not
/// loaded. The kernel lists it, but no runtime will.
bool is_unstarted_gpu(const KfdNode& node);

/// The folder of nodes in `folder`, which may be that folder, or one above it up to the root of a file system.
std::optional<std::filesystem::path> find_kfd_nodes(const std::filesystem::path& folder);

/// What cannot be read is a note. Blocks: for the reading of all files below.
KfdTree read_kfd_tree(const std::filesystem::path& nodes);

}  // namespace skua
