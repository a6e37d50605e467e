// Predicts what ROCR_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES leave.
#include "masks.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <text/numbers.hpp>
#include <text/pieces.hpp>

namespace skua {
namespace {

using Uuids = std::vector<std::optional<std::string>>;

/// A token as notes show it.
std::string shown(std::string_view token) {
  constexpr std::size_t length_max = 40;
  std::string text(token.substr(0, length_max));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return '\'' + text + (token.size() > length_max ? "...'" : "'");
}

/// As C reads numbers: 0x is hexadecimal, a leading 0 octal.
std::optional<std::size_t> number_with_prefix(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return number_from<std::size_t>(text.substr(2), 16);
  if (text.size() > 1 && text.front() == '0') return number_from<std::size_t>(text.substr(1), 8);
  return number_from<std::size_t>(text);
}

/// Only the spelling that a program would print counts: no sign, no blank, no leading zero.
std::optional<std::size_t> plain_number(std::string_view text) {
  const auto number = number_from<std::size_t>(text);
  return number && std::to_string(*number) == text ? number : std::nullopt;
}

/// The GPUs that one layer is given, and those that its mask keeps.
class Layer {
 public:
  Layer(const char* variable, std::string_view mask, const Uuids& uuids, std::vector<std::size_t> given,
        std::vector<std::string>& notes)
      : variable_(variable), mask_(mask), uuids_(uuids), given_(std::move(given)), notes_(notes) {}

  std::vector<std::size_t> by_rocr_rules();
  std::vector<std::size_t> by_hip_rules();
  std::vector<std::size_t> by_cuda_rules();

 private:
  enum class Repeat { ends_list, is_skipped };

  std::vector<std::size_t> matches(std::string_view prefix) const;
  bool take(std::optional<std::size_t> index, std::string_view token, Repeat repeat);
  bool take_by_uuid(std::string_view token);
  std::string remedy() const;
  void end_list(std::string_view token, const std::string& why) const {
    notes_.push_back(fmt::format("{}: {} {}; the list ends there", variable_, shown(token), why));
  }
  std::vector<std::size_t> result() const {
    std::vector<std::size_t> places;
    for (const std::size_t index : kept_) places.push_back(given_[index]);
    return places;
  }

  const char* variable_;
  std::string_view mask_;
  const Uuids& uuids_;
  std::vector<std::size_t> given_;
  std::vector<std::string>& notes_;
  std::vector<std::size_t> kept_;  ///< indices into given_
};

/// Indices of GPUs whose id begins so. A GPU without an id cannot be named by one.
std::vector<std::size_t> Layer::matches(std::string_view prefix) const {
  std::vector<std::size_t> found;
  for (std::size_t index = 0; index < given_.size(); ++index) {
    const auto& uuid = uuids_[given_[index]];
    if (uuid && std::string_view(*uuid).starts_with(prefix)) found.push_back(index);
  }
  return found;
}

/// What to write in place of a mask that names numbers beyond the GPUs here. It most often has the numbers that they
/// have on the whole node, where a container, a batch system or an earlier mask has left this process but some.
std::string Layer::remedy() const {
  std::vector<std::size_t> asked;
  for (const std::string_view token : split(mask_, ',')) {
    if (const auto number = number_from<std::size_t>(trimmed(token))) asked.push_back(*number);
  }
  std::vector<std::size_t> here;
  for (const std::size_t number : asked) {
    const auto found = std::find(given_.begin(), given_.end(), number);
    if (found != given_.end()) here.push_back(static_cast<std::size_t>(found - given_.begin()));
  }
  if (here.size() == asked.size()) {
    return fmt::format("; {}={} names the GPUs that have these numbers on the whole node", variable_,
                       fmt::join(here, ","));
  }
  const auto is_beyond = [&](std::size_t number) { return number >= given_.size(); };
  if (!std::all_of(asked.begin(), asked.end(), is_beyond)) return "";
  here.resize(std::min(asked.size(), given_.size()));
  std::iota(here.begin(), here.end(), std::size_t{0});
  return fmt::format("; {}={} names {} of them", variable_, fmt::join(here, ","), here.size());
}

/// False when the list ends here.
bool Layer::take(std::optional<std::size_t> index, std::string_view token, Repeat repeat) {
  if (!index || *index >= given_.size()) {
    end_list(token, given_.empty() ? "names none of 0 GPUs here"
                                   : fmt::format("is not one of 0 to {}, the GPUs here", given_.size() - 1));
    if (index && !given_.empty()) notes_.back() += remedy();
    return false;
  }
  if (std::find(kept_.begin(), kept_.end(), *index) == kept_.end()) {
    kept_.push_back(*index);
    return true;
  }
  if (repeat == Repeat::is_skipped) return true;
  end_list(token, "is there twice");
  return false;
}

std::vector<std::size_t> Layer::by_rocr_rules() {
  constexpr std::size_t uuid_length_min = 5;
  constexpr std::size_t uuid_length_max = 20;
  if (mask_.empty()) {
    notes_.push_back(fmt::format("{} is set but empty: it hides every GPU", variable_));
    return {};
  }
  for (const std::string_view raw : split(mask_, ',')) {
    const std::string_view token = trimmed(raw);
    if (token.empty()) {
      notes_.push_back(
          fmt::format("{}: what an empty entry does is not certain; the list is taken to end there", variable_));
      break;
    }
    if (!token.starts_with("GPU-")) {
      if (!take(number_with_prefix(token), token, Repeat::ends_list)) break;
      continue;
    }
    const bool is_of_length = token.size() >= uuid_length_min && token.size() <= uuid_length_max;
    const auto found = is_of_length ? matches(token) : std::vector<std::size_t>();
    if (found.size() != 1) {
      end_list(token, found.empty() ? "names no GPU here" : "names more than one GPU");
      break;
    }
    if (!take(found.front(), token, Repeat::ends_list)) break;
  }
  return result();
}

bool Layer::take_by_uuid(std::string_view token) {
  const auto found = matches(token);
  if (found.empty()) {
    end_list(token, "names no GPU here");
    return false;
  }
  if (found.size() > 1) {
    notes_.push_back(fmt::format("{}: {} is ambiguous; the first match is taken", variable_, shown(token)));
  }
  return take(found.front(), token, Repeat::is_skipped);
}

std::vector<std::size_t> Layer::by_hip_rules() {
  for (const std::string_view token : split(mask_, ',')) {
    const bool goes_on =
        token.starts_with("GPU-") ? take_by_uuid(token) : take(plain_number(token), token, Repeat::is_skipped);
    if (!goes_on) break;
  }
  return result();
}

std::vector<std::size_t> Layer::by_cuda_rules() {
  if (mask_.empty()) {
    notes_.push_back(fmt::format("{} is set but empty: it hides every GPU", variable_));
    return {};
  }
  for (const std::string_view raw : split(mask_, ',')) {
    const std::string_view token = trimmed(raw);
    if (token.starts_with("MIG-")) {
      notes_.push_back(
          fmt::format("{}: {} names a MIG instance, which is not told apart here", variable_, shown(token)));
      break;
    }
    if (!token.starts_with("GPU-")) {
      if (!take(number_from<std::size_t>(token), token, Repeat::ends_list)) break;
      continue;
    }
    const auto found = matches(token);
    if (found.size() != 1) {
      end_list(token, found.empty() ? "names no GPU here" : "names more than one GPU");
      break;
    }
    if (!take(found.front(), token, Repeat::ends_list)) break;
  }
  return result();
}

/// Everything that the runtime can reach.
MaskPrediction everything(std::size_t count, const std::vector<std::optional<std::string>>& unreachable) {
  MaskPrediction prediction;
  prediction.hidden_by = unreachable;
  prediction.hidden_by.resize(count);
  for (std::size_t place = 0; place < count; ++place) {
    if (!prediction.hidden_by[place]) prediction.visible.push_back(place);
  }
  return prediction;
}

/// Replaces what is visible; whatever disappears by that is hidden by `variable`.
void keep(MaskPrediction& prediction, std::vector<std::size_t> kept, const char* variable) {
  for (const std::size_t place : prediction.visible) {
    if (std::find(kept.begin(), kept.end(), place) == kept.end()) prediction.hidden_by[place] = variable;
  }
  prediction.visible = std::move(kept);
}

std::optional<std::string> variable_in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// "0-3,5" and "0,1,2": how many a list of Slurm's names.
std::optional<std::size_t> count_in_list(std::string_view text) {
  constexpr std::size_t count_max = 4096;
  std::size_t count = 0;
  for (const std::string_view token : split(text, ',')) {
    const auto dash = token.find('-');
    const auto first = number_from<std::size_t>(token.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_from<std::size_t>(token.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first > count_max) return std::nullopt;
    count += *last - *first + 1;
  }
  return count;
}

}  // namespace

MaskVariables MaskVariables::from_environment() {
  return {variable_in_environment("ROCR_VISIBLE_DEVICES"), variable_in_environment("HIP_VISIBLE_DEVICES"),
          variable_in_environment("CUDA_VISIBLE_DEVICES"), variable_in_environment("GPU_DEVICE_ORDINAL")};
}

MaskPrediction predict_rocm_masks(const Uuids& uuids, const MaskVariables& variables, const Uuids& unreachable) {
  MaskPrediction prediction = everything(uuids.size(), unreachable);
  if (variables.rocr) {
    Layer layer("ROCR_VISIBLE_DEVICES", *variables.rocr, uuids, prediction.visible, prediction.notes);
    keep(prediction, layer.by_rocr_rules(), "ROCR_VISIBLE_DEVICES");
  }
  if (variables.gpu_device_ordinal)
    prediction.notes.push_back("GPU_DEVICE_ORDINAL is set; HIP programs do not read it");
  if (variables.hip && variables.hip->empty()) {
    prediction.notes.push_back("HIP_VISIBLE_DEVICES is set but empty: it hides nothing");
  }
  const bool by_hip = variables.hip && !variables.hip->empty();
  const std::string mask = by_hip ? *variables.hip : variables.cuda.value_or("");
  if (mask.empty()) return prediction;

  const char* variable = by_hip ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
  const std::size_t given = prediction.visible.size();
  Layer layer(variable, mask, uuids, prediction.visible, prediction.notes);
  keep(prediction, layer.by_hip_rules(), variable);
  if (variables.rocr && given > 0 && prediction.visible.empty()) {
    const std::string valid = given == 1 ? "0" : fmt::format("0 to {}", given - 1);
    prediction.notes.push_back(
        fmt::format("{}={} leaves no GPU: it counts the {} that ROCR_VISIBLE_DEVICES left, from 0 on; "
                    "use {} or an id of the form GPU-...",
                    variable, shown(mask), given, valid));
  }
  return prediction;
}

MaskPrediction predict_cuda_mask(const Uuids& uuids, const MaskVariables& variables) {
  MaskPrediction prediction = everything(uuids.size(), {});
  if (!variables.cuda) return prediction;
  Layer layer("CUDA_VISIBLE_DEVICES", *variables.cuda, uuids, prediction.visible, prediction.notes);
  keep(prediction, layer.by_cuda_rules(), "CUDA_VISIBLE_DEVICES");
  return prediction;
}

std::vector<std::string> explain_slurm(std::size_t visible_count) {
  for (const char* name : {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"}) {
    const auto value = variable_in_environment(name);
    const auto count = value ? count_in_list(*value) : std::nullopt;
    if (!count) continue;
    if (*count <= visible_count) return {};
    return {
        fmt::format("{}={} gives this job {} GPUs of the node, of which this process sees {}: Slurm hides its peers' "
                    "GPUs, so that they cannot be reached directly",
                    name, shown(*value), *count, visible_count)};
  }
  return {};
}

}  // namespace skua
