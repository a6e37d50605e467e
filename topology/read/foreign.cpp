// Knows the JSON and XML of other programs by names that stand in it.
#include "foreign.hpp"

#include <algorithm>
#include <array>

#include "pasted_text.hpp"

namespace skua {
namespace {

struct ForeignJson {
  std::string_view name;  ///< in quotation marks as a rule
  std::string_view what;
};

// The first that is there counts.
constexpr std::array<ForeignJson, 11> programs = {{
    {"\"skua.machine/", "a machine for skua simulate --machine"},
    {"\"skua.report/", "a Report of skua, which has no links; give what skua topology --json printed"},
    {"\"traceEvents\"", "a trace, which has no links; give what skua topology --json printed"},
    {"\"latency_s\"",
     "what skua topology --measure --json printed, which names no GPUs; give what skua topology --json printed"},
    {"\"(Topology) ", "what rocm-smi --json printed; give the tables of rocm-smi --showtopo, without --json"},
    {"\"card0\"", "what rocm-smi --json printed; give the tables of rocm-smi --showtopo, without --json"},
    {"\"card1\"", "what rocm-smi --json printed; give the tables of rocm-smi --showtopo, without --json"},
    {"\"gpu_data\"", "what amd-smi --json printed; give the tables of amd-smi topology, without --json"},
    {"\"num_hops\"", "what amd-smi --json printed; give the tables of amd-smi topology, without --json"},
    {"\"gpu\":", "what amd-smi --json printed; give the tables of amd-smi topology, without --json"},
    {"\"nvbandwidth\"", "what nvbandwidth --json printed; give what nvidia-smi topo -m printed"},
}};

}  // namespace

std::optional<std::string> foreign_json(const std::string& content) {
  if (contains(content, "\"skua.topology/")) return std::nullopt;
  const auto is_there = [&](const ForeignJson& program) { return contains(content, program.name); };
  const auto* const found = std::find_if(programs.begin(), programs.end(), is_there);
  return found == programs.end() ? std::nullopt : std::optional<std::string>(found->what);
}

std::optional<std::string> foreign_xml(std::string_view root_name) {
  if (root_name == "nvidia_smi_log") {
    return "what nvidia-smi -q -x printed, which names no links; give what nvidia-smi topo -m printed";
  }
  if (root_name == "graphs") {
    return "a graph of NCCL's, which are its rings and trees; give the file that NCCL_TOPO_DUMP_FILE names";
  }
  return std::nullopt;
}

}  // namespace skua
