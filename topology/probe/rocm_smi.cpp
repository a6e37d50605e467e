// Guards the questions to librocm_smi64, and reads the answers.
#include "rocm_smi.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <graph/amd_link.hpp>
#include <graph/vendor_address.hpp>
#include <program/protocol.hpp>
#include <system/spawned_program.hpp>
#include <text/numbers.hpp>
#include <text/small_file.hpp>
#include <vendor/rocm_smi_library.hpp>
#include "kfd_tree.hpp"
#include "probe_program.hpp"

namespace skua {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t type_pcie = 1;
constexpr std::uint32_t type_xgmi = 2;

Reading empty_reading() {
  Reading reading;
  reading.basis = Basis::rocm_smi;
  reading.unjoined = LinkKind::pcie;
  return reading;
}

struct Hazards {
  std::optional<std::string> of_starting;
  std::optional<std::string> of_links;
};

std::vector<fs::path> graphics_cards(const fs::path& sys) {
  std::vector<fs::path> cards;
  std::error_code error;
  const fs::path folder = sys / "class/drm";
  for (fs::directory_iterator card(folder, error); !error && card != fs::directory_iterator(); card.increment(error)) {
    const std::string name = card->path().filename().string();
    const bool is_card = name.starts_with("card") && name.find_first_not_of("0123456789", 4) == std::string::npos;
    if (is_card) cards.push_back(card->path());
  }
  return cards;
}

/// Elsewhere the library has nothing to say, and to start a program for it would be for nothing.
bool has_amd_card(const fs::path& sys) {
  const std::vector<fs::path> cards = graphics_cards(sys);
  return std::any_of(cards.begin(), cards.end(),
                     [](const fs::path& card) { return read_small_file(card / "device/vendor") == "0x1002"; });
}

/// What in /sys is known to make the library abort (seen with version 5.2.3).
Hazards hazards_in(const fs::path& sys) {
  Hazards hazards;
  for (const fs::path& card : graphics_cards(sys)) {
    std::error_code ignored;
    if (fs::is_symlink(card, ignored)) continue;
    hazards.of_starting = fmt::format("{} is not a link", card.filename().string());
  }
  const auto nodes = find_kfd_nodes(sys / "class/kfd/kfd/topology");
  if (!nodes) return hazards;
  const KfdTree tree = read_kfd_tree(*nodes);
  std::set<std::uint32_t> gpus;
  for (const KfdNode& node : tree.nodes) {
    std::error_code ignored;
    if (!fs::is_directory(*nodes / std::to_string(node.number) / "io_links", ignored)) {
      hazards.of_starting = fmt::format("KFD node {} has no io_links", node.number);
    }
    if (property(node.properties, "simd_count").value_or(0) > 0) gpus.insert(node.number);
  }
  constexpr std::uint64_t kfd_type_pcie = 2;
  for (const KfdNode& node : tree.nodes) {
    for (const KfdLink& link : node.io_links) {
      const bool joins_gpus = gpus.contains(node.number) && gpus.contains(link.to);
      if (joins_gpus && property(link.properties, "type") == kfd_type_pcie) {
        hazards.of_links = fmt::format("KFD nodes {} and {} are joined over PCIe", node.number, link.to);
      }
    }
  }
  return hazards;
}

/// The number of the next word; "?" and anything else is unknown.
template <class Number>
std::optional<Number> next_number(std::istringstream& words) {
  std::string word;
  words >> word;
  return number_from<Number>(word);
}

class OutputReader {
 public:
  Reading read(const std::string& output);

 private:
  void read_gpu(std::istringstream& words);
  void read_link(std::istringstream& words);
  void note_constant_hops();

  Reading reading_ = empty_reading();
  std::map<std::uint64_t, std::uint32_t> hives_;
  std::set<std::uint64_t> hops_;
  std::set<std::uint64_t> weights_;
};

void OutputReader::read_gpu(std::istringstream& words) {
  constexpr std::uint32_t numa_max = 4096;
  Gpu gpu;
  if (const auto bdf = next_number<std::uint64_t>(words)) {
    const GpuPlace place = place_from_bdf(*bdf);
    gpu.pci = place.pci;
    gpu.partition = place.partition;
  }
  const auto numa_node = next_number<std::uint32_t>(words);
  if (numa_node && *numa_node <= numa_max) gpu.numa_node = NumaId{*numa_node};
  const auto hive = next_number<std::uint64_t>(words).value_or(0);
  if (hive != 0) gpu.hive = hives_.emplace(hive, static_cast<std::uint32_t>(hives_.size())).first->second;
  const auto unique_id = next_number<std::uint64_t>(words).value_or(0);
  const auto memory_bytes = next_number<std::uint64_t>(words).value_or(0);
  if (memory_bytes != 0 && memory_bytes != std::numeric_limits<std::uint64_t>::max()) gpu.memory_bytes = memory_bytes;
  std::getline(words >> std::ws, gpu.name);
  reading_.add(gpu, unique_id == 0 ? std::nullopt : std::optional(fmt::format("GPU-{:016x}", unique_id)));
}

void OutputReader::read_link(std::istringstream& words) {
  const auto from = next_number<std::uint32_t>(words);
  const auto to = next_number<std::uint32_t>(words);
  const auto type = next_number<std::uint32_t>(words);
  const auto weight = next_number<std::uint64_t>(words);
  const auto hops = next_number<std::uint64_t>(words);
  const auto min = next_number<std::uint64_t>(words);
  const auto max = next_number<std::uint64_t>(words);
  if (!from || !to || *from == *to || *from >= reading_.gpus.size() || *to >= reading_.gpus.size()) return;
  Link link;
  link.from = GpuId{*from};
  link.to = GpuId{*to};
  if (type == type_xgmi) {
    link.kind = LinkKind::xgmi;
    link.hops = hops_from_weight(weight);
    if (link.hops == 1u) link.count = link_count_from(min, max);
    if (hops) hops_.insert(*hops);
    if (weight) weights_.insert(*weight);
  } else if (type == type_pcie) {
    link.kind = LinkKind::pcie;
  } else {
    return;
  }
  link.bandwidth_gb_per_s = gb_per_s_from(max);
  reading_.links.push_back(link);
}

void OutputReader::note_constant_hops() {
  if (hops_.size() != 1 || weights_.size() < 2) return;
  reading_.notes.push_back(fmt::format(
      "rocm_smi: says {} hop for every XGMI pair although their weights differ; hops are counted from the weights",
      *hops_.begin()));
}

Reading OutputReader::read(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "gpu") read_gpu(words);
    if (word == "link") read_link(words);
    if (word == "failed") reading_.notes.push_back("rocm_smi: " + line);
  }
  note_constant_hops();
  return std::move(reading_);
}

/// "while asking for the link from 0 to 1".
std::string last_question(const std::string& output) {
  const auto place = output.rfind("asking ");
  if (place == std::string::npos) return "while it was loaded";
  return "while " + output.substr(place, output.find('\n', place) - place);
}

}  // namespace

Reading rocm_smi_reading_from(const std::string& output) {
  return OutputReader().read(output);
}

Reading probe_rocm_smi(const RocmSmiOptions& options) {
  Reading nothing = empty_reading();
  const auto not_asked = [&nothing](const std::string& why) {
    nothing.notes.push_back("rocm_smi: not asked, because " + why);
    return std::move(nothing);
  };
  if (!has_amd_card(options.sys)) return nothing;
  if (const auto loaded = loaded_amd_library(options.maps)) {
    return not_asked(fmt::format("this process has loaded {} itself", *loaded));
  }
  const Hazards hazards = hazards_in(options.sys);
  if (hazards.of_starting) return not_asked(*hazards.of_starting + ", on which it aborts");
  const auto program = options.program.empty() ? find_probe_program() : std::optional(options.program);
  ProgramResult result;
  if (program) {
    std::vector<std::string> words = {probe_version, hazards.of_links ? probe_task_gpus : probe_task_links};
    words.insert(words.end(), options.libraries.begin(), options.libraries.end());
    result = run_program(*program, words, options.deadline);
  }
  const bool was_killed = result.end == ProgramResult::End::killed_at_deadline;
  if (!was_killed && !result.output.starts_with(probe_greeting)) {
    return not_asked(why_probe_is_useless(program, result.failure) + "; /sys is used alone");
  }
  Reading reading = rocm_smi_reading_from(result.output);
  if (hazards.of_links) {
    reading.notes.push_back(
        fmt::format("rocm_smi: not asked about links, because {}, on which it aborts", *hazards.of_links));
  }
  if (was_killed) {
    reading = std::move(nothing);
    reading.notes.push_back(
        fmt::format("rocm_smi: gave no answer within {} ms {} and was dropped; /sys is used instead",
                    options.deadline.count(), last_question(result.output)));
  } else if (result.end == ProgramResult::End::died) {
    const char* how = result.signal_number == 0 ? "an error" : strsignal(result.signal_number);
    reading.notes.push_back(
        fmt::format("rocm_smi: ended by {} {}; only what it said before is used", how, last_question(result.output)));
  }
  return reading;
}

}  // namespace skua
