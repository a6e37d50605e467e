// What launchers tell a rank of its place, and the GPUs that follow from it.
#include "local_rank.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <skua/input.hpp>
#include <text/numbers.hpp>
#include <text/pieces.hpp>

namespace skua {
namespace {

constexpr const char* flux_rank = "FLUX_TASK_LOCAL_ID";
constexpr const char* slurm_rank = "SLURM_LOCALID";

/// A launcher that is started inside of another inherits that one's variables: the inner ones come first.
struct Launcher {
  const char* rank;
  const char* size;  ///< nullptr: it takes more than one variable
};
constexpr std::array<Launcher, 5> launchers = {{{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                                {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                                                {flux_rank, nullptr},
                                                {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
                                                {slurm_rank, nullptr}}};

[[noreturn]] void fail(const std::string& why) {
  throw InputError("devices gpu:" + std::string(gpus_of_this_rank) + ": " + why);
}

[[noreturn]] void fail_by(const char* name, const std::string& text, const std::string& why) {
  fail(std::string(name) + "='" + text + "' " + why);
}

class Reader {
 public:
  explicit Reader(const Variables& variables) : variables_(variables) {}
  LocalRank read();

 private:
  std::optional<std::uint32_t> number(const char* name) const;
  std::uint32_t size_by(const char* name) const;
  std::uint32_t size_by_flux();
  std::uint32_t size_by_slurm() const;
  std::uint32_t entry_of_this_node(const char* name, const std::string& text) const;

  const Variables& variables_;
  LocalRank local_;
};

std::optional<std::uint32_t> Reader::number(const char* name) const {
  const auto text = variables_(name);
  if (!text) return std::nullopt;
  const auto value = number_from<std::uint32_t>(*text);
  if (!value) fail_by(name, *text, "is not a number from 0 on");
  return value;
}

std::uint32_t Reader::size_by(const char* name) const {
  const auto size = number(name);
  if (!size) fail(std::string("how many ranks this node has is not known: ") + name + " is not set");
  return *size;
}

std::uint32_t Reader::size_by_flux() {
  const std::uint32_t tasks = size_by("FLUX_JOB_SIZE");
  const std::uint32_t nodes = size_by("FLUX_JOB_NNODES");
  if (nodes == 0) fail("FLUX_JOB_NNODES='0' is no number of nodes");
  if (tasks % nodes == 0) return tasks / nodes;
  const std::uint32_t size = tasks / nodes + 1;
  local_.note = "gpu:local: FLUX_JOB_SIZE=" + std::to_string(tasks) +
                " tasks on FLUX_JOB_NNODES=" + std::to_string(nodes) + " nodes: this one is taken to have " +
                std::to_string(size) + ", and GPUs are left out where it has fewer";
  return size;
}

/// Of "4(x2),3", which stands for 4, 4 and 3.
std::uint32_t Reader::entry_of_this_node(const char* name, const std::string& text) const {
  struct Run {
    std::uint32_t tasks;
    std::uint32_t nodes;
  };
  std::vector<Run> runs;
  for (const std::string_view entry : split(text, ',')) {
    const std::size_t bracket = std::min(entry.find("(x"), entry.size());
    const auto tasks = number_from<std::uint32_t>(entry.substr(0, bracket));
    std::optional<std::uint32_t> nodes = 1;
    if (bracket < entry.size()) {
      nodes = entry.back() == ')' ? number_from<std::uint32_t>(entry.substr(bracket + 2, entry.size() - bracket - 3))
                                  : std::nullopt;
    }
    if (!tasks || !nodes || *nodes == 0) fail_by(name, text, "is no list of tasks such as 4(x2),3");
    runs.push_back({*tasks, *nodes});
  }
  if (runs.size() == 1) return runs.front().tasks;
  const auto node = number("SLURM_NODEID");
  if (!node) fail_by(name, text, "tells several nodes apart, and SLURM_NODEID, which says which this is, is not set");
  std::uint64_t end = 0;
  for (const Run& run : runs) {
    end += run.nodes;
    if (*node < end) return run.tasks;
  }
  fail_by(name, text, "has no entry for SLURM_NODEID=" + std::to_string(*node));
}

/// The step's own list first: a step need not be as the job was asked for.
std::uint32_t Reader::size_by_slurm() const {
  for (const char* name : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    if (const auto text = variables_(name)) return entry_of_this_node(name, *text);
  }
  if (const auto size = number("SLURM_NTASKS_PER_NODE")) return *size;
  fail(
      "how many ranks this node has is not known: none of SLURM_STEP_TASKS_PER_NODE, SLURM_TASKS_PER_NODE and "
      "SLURM_NTASKS_PER_NODE is set");
}

LocalRank Reader::read() {
  std::string looked_for;
  for (const Launcher& launcher : launchers) {
    looked_for += (looked_for.empty() ? "" : ", ") + std::string(launcher.rank);
    const auto rank = number(launcher.rank);
    if (!rank) continue;
    const std::string_view name = launcher.rank;
    local_.rank = *rank;
    local_.size = launcher.size != nullptr ? size_by(launcher.size)
                  : name == flux_rank      ? size_by_flux()
                                           : size_by_slurm();
    if (local_.rank >= local_.size) {
      fail_by(launcher.rank, std::to_string(local_.rank),
              "is not below the node's " + std::to_string(local_.size) + " ranks");
    }
    return local_;
  }
  fail("no launcher says which of its node's ranks this process is: none of " + looked_for + " is set");
}

}  // namespace

LocalRank local_rank_from(const Variables& variables) {
  return Reader(variables).read();
}

VisibleGpus visible_gpus(std::uint32_t count, const Topology& topology) {
  VisibleGpus gpus;
  gpus.count = count;
  for (const Gpu& gpu : topology.gpus) {
    // Not those that have no driver, or that a job may not use: no rank has them.
    if (!gpu.hidden_by || !gpu.hidden_by->ends_with("_VISIBLE_DEVICES")) continue;
    if (gpus.hidden++ == 0) gpus.hidden_by = *gpu.hidden_by;
  }
  return gpus;
}

LocalGpus local_gpus(const LocalRank& rank, const VisibleGpus& gpus) {
  LocalGpus mine;
  if (rank.note) mine.notes.push_back(*rank.note);
  const auto take = [&mine](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t gpu = begin; gpu < end; ++gpu) mine.ordinals.push_back(static_cast<std::uint32_t>(gpu));
  };
  const std::string of_this_rank =
      "gpu:local: rank " + std::to_string(rank.rank) + " of " + std::to_string(rank.size) + " on this node ";
  const std::uint64_t on_node = std::uint64_t{gpus.count} + gpus.hidden;
  if (gpus.hidden > 0 && std::uint64_t{gpus.count} * rank.size <= on_node) {
    take(0, gpus.count);
    if (rank.size > 1) {
      mine.notes.push_back(of_this_rank + "has all " + std::to_string(gpus.count) + " GPUs that " + gpus.hidden_by +
                           " shows it of " + std::to_string(on_node));
    }
    return mine;
  }
  const std::uint64_t begin = std::uint64_t{rank.rank} * gpus.count / rank.size;
  const std::uint64_t end = (std::uint64_t{rank.rank} + 1) * gpus.count / rank.size;
  take(begin, rank.size > gpus.count ? begin + 1 : end);
  if (rank.size > gpus.count) {
    mine.notes.push_back(of_this_rank + "shares gpu:" + std::to_string(begin) + " with others: there are only " +
                         std::to_string(gpus.count) + " GPUs");
  }
  return mine;
}

}  // namespace skua
