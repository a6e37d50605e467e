// What one source says of a machine, before sources are merged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

struct Reading {
  Basis basis = Basis::assumed;
  std::vector<Gpu> gpus;                          ///< in the source's own order
  std::vector<std::optional<std::string>> uuids;  ///< of each GPU, as masks name it: "GPU-..."; as long as gpus
  std::vector<Link> links;                        ///< only what the source states; ids are places in `gpus`
  LinkKind unjoined = LinkKind::unknown;          ///< what joins pairs for which the source states no link
  bool tells_hives = true;
  std::vector<NumaNode> numa_nodes;
  std::vector<std::string> notes;

  void add(Gpu gpu, std::optional<std::string> uuid = std::nullopt) {
    gpu.basis = basis;
    gpus.push_back(std::move(gpu));
    uuids.push_back(std::move(uuid));
  }
};

}  // namespace skua
