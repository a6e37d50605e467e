// Guards the questions to librocm_smi64, and reads the answers.
#include "rocm_smi.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <graph/amd_link.hpp>
#include <graph/amd_models.hpp>
#include <graph/gpu_places.hpp>
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
    if (is_gpu(node)) gpus.insert(node.number);
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
  struct Device {
    Gpu gpu;
    std::optional<std::uint64_t> bdf;
    std::uint64_t unique_id = 0;
    std::uint64_t model = 0;
    bool was_asked = true;
  };
  struct StatedLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Link link;
    std::optional<std::uint64_t> weight;
  };

  void read_gpu(std::istringstream& words);
  void read_link(std::istringstream& words);
  void add_gpus();
  void add_links();
  void note_constant_hops();

  Reading reading_ = empty_reading();
  std::vector<Device> devices_;                       ///< in the library's order
  std::vector<std::optional<std::uint32_t>> places_;  ///< of each device in the reading; nothing: left out
  std::vector<StatedLink> links_;
  std::map<std::uint64_t, std::uint32_t> hives_;
  std::set<std::uint64_t> hops_;
  std::set<std::uint64_t> weights_;
};

void OutputReader::read_gpu(std::istringstream& words) {
  constexpr std::uint32_t numa_max = 4096;
  Device device;
  device.bdf = next_number<std::uint64_t>(words);
  const auto numa_node = next_number<std::uint32_t>(words);
  if (numa_node && *numa_node <= numa_max) device.gpu.numa_node = NumaId{*numa_node};
  const auto hive = next_number<std::uint64_t>(words).value_or(0);
  if (hive != 0) device.gpu.hive = hives_.emplace(hive, static_cast<std::uint32_t>(hives_.size())).first->second;
  device.unique_id = next_number<std::uint64_t>(words).value_or(0);
  const auto memory_bytes = next_number<std::uint64_t>(words).value_or(0);
  const bool is_known = memory_bytes != 0 && memory_bytes != std::numeric_limits<std::uint64_t>::max();
  if (is_known) device.gpu.memory_bytes = memory_bytes;
  device.model = next_number<std::uint64_t>(words).value_or(0);
  std::getline(words >> std::ws, device.gpu.name);
  devices_.push_back(std::move(device));
}

void OutputReader::read_link(std::istringstream& words) {
  const auto from = next_number<std::uint32_t>(words);
  const auto to = next_number<std::uint32_t>(words);
  const auto type = next_number<std::uint32_t>(words);
  const auto weight = next_number<std::uint64_t>(words);
  const auto hops = next_number<std::uint64_t>(words);
  const auto min = next_number<std::uint64_t>(words);
  const auto max = next_number<std::uint64_t>(words);
  if (!from || !to || *from == *to) return;
  Link link;
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
  links_.push_back({*from, *to, link, weight});
}

/// A device that does not tell its address could be any: nothing that it says can be joined with what others say.
void OutputReader::add_gpus() {
  std::vector<WrittenPlace> written;
  for (std::uint32_t number = 0; number < devices_.size(); ++number) {
    const Device& device = devices_[number];
    places_.push_back(device.bdf ? std::optional(static_cast<std::uint32_t>(written.size())) : std::nullopt);
    if (device.bdf) {
      written.push_back(written_place_from_bdf(*device.bdf));
      written.back().unique_id = device.unique_id;
      written.back().is_partitionable = is_partitionable_amd_model(device.model);
    } else if (device.was_asked) {
      reading_.notes.push_back(fmt::format("rocm_smi: device {} tells no address and is left out", number));
    }
  }
  const std::vector<GpuPlace> places = gpu_places(written);
  for (std::uint32_t number = 0; number < devices_.size(); ++number) {
    if (!places_[number]) continue;
    Device& device = devices_[number];
    device.gpu.pci = places[*places_[number]].pci;
    device.gpu.partition = places[*places_[number]].partition;
    const auto id = device.unique_id == 0 ? std::nullopt : std::optional(fmt::format("GPU-{:016x}", device.unique_id));
    reading_.add(std::move(device.gpu), id);
  }
}

void OutputReader::add_links() {
  std::vector<std::optional<std::uint64_t>> weights;
  for (StatedLink& stated : links_) {
    if (stated.from >= places_.size() || stated.to >= places_.size()) continue;
    if (!places_[stated.from] || !places_[stated.to]) continue;
    stated.link.from = GpuId{*places_[stated.from]};
    stated.link.to = GpuId{*places_[stated.to]};
    reading_.links.push_back(stated.link);
    weights.push_back(stated.weight);
  }
  rank_by_weights(reading_.links, weights);
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
    if (word == "without") devices_.emplace_back().was_asked = false;
    if (word == "link") read_link(words);
    if (word == "failed") reading_.notes.push_back("rocm_smi: " + line);
  }
  add_gpus();
  add_links();
  note_constant_hops();
  return std::move(reading_);
}

/// "while asking for the link from 0 to 1".
std::string last_question(const std::string& output) {
  const auto place = output.rfind("asking ");
  if (place == std::string::npos) return "while it was loaded";
  return "while " + output.substr(place, output.find('\n', place) - place);
}

/// Of which the program died: the number behind its last words, where these were about one device.
std::optional<std::uint32_t> deadly_device(const ProgramResult& result) {
  if (result.end != ProgramResult::End::died) return std::nullopt;
  const std::string question = last_question(result.output);
  const std::string about = "while asking about device ";
  return question.starts_with(about) ? number_from<std::uint32_t>(question.substr(about.size())) : std::nullopt;
}

std::string how_it_died(const ProgramResult& result) {
  const char* how = result.signal_number == 0 ? "an error" : strsignal(result.signal_number);
  return fmt::format("ended by {} {}", how, last_question(result.output));
}

/// Asks again without the devices of which the program dies, while there is time.
ProgramResult ask(const fs::path& program, const RocmSmiOptions& options, const char* task,
                  std::vector<std::string>& notes) {
  constexpr std::size_t left_out_max = 8;
  const auto end = std::chrono::steady_clock::now() + options.deadline;
  std::vector<std::uint32_t> without;
  for (;;) {
    std::vector<std::string> words = {probe_version, task};
    if (!without.empty()) words.push_back(fmt::format("{}{}", probe_without, fmt::join(without, ",")));
    words.insert(words.end(), options.libraries.begin(), options.libraries.end());
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    ProgramResult result = run_program(program, words, std::max(left, std::chrono::milliseconds(1)));
    const auto device = deadly_device(result);
    if (!device || without.size() == left_out_max) return result;
    without.push_back(*device);
    notes.push_back(fmt::format("rocm_smi: {}, which is left out", how_it_died(result)));
  }
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
  std::vector<std::string> notes;
  ProgramResult result;
  if (program) result = ask(*program, options, hazards.of_links ? probe_task_gpus : probe_task_links, notes);
  const bool was_killed = result.end == ProgramResult::End::killed_at_deadline;
  if (!was_killed && !result.output.starts_with(probe_greeting)) {
    return not_asked(why_probe_is_useless(program, result.failure) + "; /sys is used alone");
  }
  Reading reading = rocm_smi_reading_from(result.output);
  reading.notes.insert(reading.notes.begin(), notes.begin(), notes.end());
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
    reading.notes.push_back(fmt::format("rocm_smi: {}; only what it said before is used", how_it_died(result)));
  }
  return reading;
}

}  // namespace skua
