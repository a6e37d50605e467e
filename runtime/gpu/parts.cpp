// Reading what stands behind "gpu:".
#include "parts.hpp"

#include <algorithm>

#include <skua/input.hpp>
#include <text/pieces.hpp>

#include "local_rank.hpp"

namespace skua {
namespace {

class Parser {
 public:
  Parser(const std::string& argument, int gpu_count, const std::function<GpuGrain(int)>& grain)
      : where_("devices gpu" + (argument.empty() ? "" : ":" + argument)), gpu_count_(gpu_count), grain_(grain) {}

  std::vector<GpuPartSpec> parse(const std::string& argument) {
    if (argument.empty()) {
      for (int ordinal = 0; ordinal < gpu_count_; ++ordinal) specs_.push_back({ordinal, {}, {}});
      return specs_;
    }
    for (const std::string_view entry : split(argument, ',')) add_entry(std::string(entry));
    return specs_;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw InputError(where_ + ": " + why); }

  void add_entry(const std::string& entry) {
    const std::size_t slash = entry.find('/');
    if (entry.substr(0, slash) == gpus_of_this_rank) fail("local stands for whole GPUs, and without others beside it");
    const std::uint64_t ordinal = parse_count(entry.substr(0, slash), where_);
    if (ordinal >= static_cast<std::uint64_t>(gpu_count_)) {
      fail("there is no GPU " + std::to_string(ordinal) + "; " +
           (gpu_count_ == 1 ? "the only one is 0" : "there are 0 to " + std::to_string(gpu_count_ - 1)));
    }
    const int gpu = static_cast<int>(ordinal);
    const auto same = [gpu](const GpuPartSpec& spec) { return spec.ordinal == gpu; };
    if (std::any_of(specs_.begin(), specs_.end(), same)) fail("GPU " + std::to_string(gpu) + " is named twice");
    if (slash == std::string::npos) {
      specs_.push_back({gpu, {}, {}});
      return;
    }
    const std::string cut = entry.substr(slash + 1);
    const std::vector<std::uint32_t> units =
        cut.find('+') == std::string::npos ? equal_parts(gpu, cut) : parts_by_units(gpu, cut);
    for (std::uint32_t part = 0; part < units.size(); ++part) specs_.push_back({gpu, part, units[part]});
  }

  std::vector<std::uint32_t> equal_parts(int gpu, const std::string& text) const {
    const GpuGrain grain = grain_(gpu);
    const std::uint64_t count = parse_count(text, where_);
    const std::uint32_t quanta = grain.available / grain.quantum;
    if (count == 0 || count > quanta) {
      fail("GPU " + std::to_string(gpu) + " can be cut into 1 to " + std::to_string(quanta) + " parts");
    }
    check_queues(gpu, grain, count);
    const auto each = static_cast<std::uint32_t>(quanta / count) * grain.quantum;
    return std::vector<std::uint32_t>(count, each);
  }

  /// With more queues than the hardware has, the driver lets all of them take turns, and everything is slow.
  void check_queues(int gpu, const GpuGrain& grain, std::uint64_t parts) const {
    if (!grain.hardware_queues) return;
    const std::uint32_t queues = std::max(*grain.hardware_queues, queues_of_others) - queues_of_others;
    const std::uint32_t parts_max = std::max(queues / streams_of_part, 1u);
    if (parts <= parts_max) return;
    fail("GPU " + std::to_string(gpu) + " can be cut into 1 to " + std::to_string(parts_max) + " parts: of its " +
         std::to_string(*grain.hardware_queues) + " hardware queues each part takes " +
         std::to_string(streams_of_part) + ", and " + std::to_string(queues_of_others) + " are left to others");
  }

  std::vector<std::uint32_t> parts_by_units(int gpu, const std::string& text) const {
    const GpuGrain grain = grain_(gpu);
    std::vector<std::uint32_t> units;
    std::uint64_t sum = 0;
    for (const std::string_view piece : split(text, '+')) {
      const std::string part(piece);
      const std::uint64_t count = parse_count(part, where_);
      if (count == 0 || count % grain.quantum != 0) {
        fail("parts of GPU " + std::to_string(gpu) + " are multiples of " + std::to_string(grain.quantum) +
             " compute units, which " + part + " is not");
      }
      sum += std::min<std::uint64_t>(count, std::uint64_t{grain.available} + 1);
      if (sum > grain.available) {
        fail("the parts of GPU " + std::to_string(gpu) + " may have " + std::to_string(grain.available) +
             " compute units together");
      }
      units.push_back(static_cast<std::uint32_t>(count));
    }
    check_queues(gpu, grain, units.size());
    return units;
  }

  std::string where_;
  int gpu_count_;
  const std::function<GpuGrain(int)>& grain_;
  std::vector<GpuPartSpec> specs_;
};

}  // namespace

std::vector<GpuPartSpec> parse_gpu_parts(const std::string& argument, int gpu_count,
                                         const std::function<GpuGrain(int)>& grain) {
  return Parser(argument, gpu_count, grain).parse(argument);
}

}  // namespace skua
