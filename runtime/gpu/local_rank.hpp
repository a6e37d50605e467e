// "gpu:local": which of a node's GPUs are this process's, among the ranks that a launcher has started on the node.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

/// What stands behind "gpu:" for it.
inline constexpr const char* gpus_of_this_rank = "local";

/// The value of a variable; nullopt when it is unset or empty, as environment_variable() has it.
using Variables = std::function<std::optional<std::string>(const char* name)>;

struct LocalRank {
  std::uint32_t rank = 0;  ///< on this node, below `size`
  std::uint32_t size = 1;  ///< ranks on this node
  std::optional<std::string> note;
};

/// As the launcher says it: Open MPI, MPICH and its kin, Flux, PMI (Cray's PALS among them) or Slurm; the one that
/// another has started comes before that other. Flux tells a job's tasks and nodes only: of a job that does not divide
/// evenly the ranks of a node are rounded up, and `note` says so.
/// Fails: InputError that names the variables looked for, or the one at fault and its text.
LocalRank local_rank_from(const Variables& variables);

/// The GPUs of the node as this process sees them.
struct VisibleGpus {
  std::uint32_t count = 0;   ///< that the runtime shows, as 0, 1 and so on
  std::uint32_t hidden = 0;  ///< others, which a variable hides from this process
  std::string hidden_by;     ///< that variable; of several the first
};

VisibleGpus visible_gpus(std::uint32_t count, const Topology& topology);

struct LocalGpus {
  std::vector<std::uint32_t> ordinals;
  std::vector<std::string> notes;
};

/// Rank r of R has GPUs floor(r G / R) to floor((r + 1) G / R) - 1 or, where there are more ranks than GPUs, GPU
/// floor(r G / R) with others. A mask that shows so few GPUs that each rank can have others of the node is taken for
/// the rank's own, and all that it shows are the rank's.
LocalGpus local_gpus(const LocalRank& rank, const VisibleGpus& gpus);

}  // namespace skua
