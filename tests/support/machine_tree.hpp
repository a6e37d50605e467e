// Expands a machine description (JSON) into a tree that stands in for /sys, and enters it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"

namespace skua::test {

/// Fields: gfx, cu, geometry, cpus, cpu_links, host_link, bmc_card0, gpus (index, bdf, numa, hive_id), gpu_links
/// (a, b, type, weight, min, max), p2p_links.
class MachineTree {
 public:
  explicit MachineTree(const nlohmann::json& machine);

  const std::filesystem::path& path() const { return folder_.path(); }

  /// Runs `work` in a process that sees this tree as /sys, and returns the text that it gives.
  /// Returns nullopt, with `reason` filled in, where mount namespaces are not permitted or the work dies.
  std::optional<std::string> run_inside(const std::function<std::string()>& work, std::string& reason) const;

 private:
  void add_node(std::uint32_t number, const nlohmann::json& properties, bool is_gpu);
  void add_link(const char* kind, std::uint32_t from, std::uint32_t to, const nlohmann::json& link);
  void add_links(const char* kind, std::uint32_t a, std::uint32_t b, const nlohmann::json& link);
  void add_card(const std::string& address, const std::string& vendor, int numa_node);

  TemporaryFolder folder_;
  int cards_ = 0;
};

}  // namespace skua::test
