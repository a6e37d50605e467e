// Asks librocm_smi64 by way of the program libexec/skua/probe, and gives it up when it fails.
#include "rocm_smi.hpp"

#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <graph/amd_models.hpp>
#include <graph/gpu_places.hpp>
#include <probe/probe_program.hpp>
#include <program/protocol.hpp>
#include <system/spawned_program.hpp>
#include <text/numbers.hpp>
#include <vendor/rocm_smi_library.hpp>

namespace skua {
namespace {

namespace fs = std::filesystem;
using SteadyTime = std::chrono::steady_clock;

class RocmSmiSensor final : public Sensor {
 public:
  explicit RocmSmiSensor(RocmSmiSensorOptions options) : options_(std::move(options)) {}
  SensorAnswer sample() override;

 private:
  std::optional<std::string> start();
  bool is_greeted();
  SensorAnswer given_up(std::string why);
  SensorAnswer answer_from(const std::string& text) const;

  RocmSmiSensorOptions options_;
  std::optional<fs::path> program_;
  std::optional<SpawnedProgram> helper_;
  bool has_greeted_ = false;
  std::optional<SteadyTime::time_point> asked_;  ///< nothing: no answer is due
  std::string received_;
};

SensorAnswer RocmSmiSensor::given_up(std::string why) {
  helper_.reset();
  has_greeted_ = false;
  asked_.reset();
  received_.clear();
  return {{}, "rocm_smi: " + std::move(why) + "; load is read without it"};
}

SensorAnswer RocmSmiSensor::answer_from(const std::string& text) const {
  SensorAnswer answer;
  std::vector<WrittenPlace> written;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string id;
    std::string percent;
    std::string unique_id;
    std::string model;
    words >> kind >> id >> percent >> unique_id >> model;
    const auto bdf = number_from<std::uint64_t>(id);
    if (kind != "gpu" || !bdf) continue;
    GpuLoad load;
    const auto busy = number_from<std::uint64_t>(percent);
    if (busy && *busy <= 100) load.busy = static_cast<double>(*busy) / 100.0;
    written.push_back(written_place_from_bdf(*bdf));
    written.back().unique_id = number_from<std::uint64_t>(unique_id).value_or(0);
    written.back().is_partitionable = is_partitionable_amd_model(number_from<std::uint64_t>(model).value_or(0));
    answer.samples.push_back({{}, load});
  }
  const std::vector<GpuPlace> places = gpu_places(written);
  for (std::size_t i = 0; i < places.size(); ++i) answer.samples[i].gpu = {places[i].pci, places[i].partition};
  return answer;
}

/// By the thread that samples, with whose end the program ends too.
/// Returns why it cannot be.
std::optional<std::string> RocmSmiSensor::start() {
  program_ = options_.program.empty() ? find_probe_program() : std::optional(options_.program);
  if (!program_) return why_probe_is_useless(program_, "");
  std::vector<std::string> words = {probe_version, probe_task_load};
  words.insert(words.end(), options_.libraries.begin(), options_.libraries.end());
  helper_.emplace(*program_, words);
  if (!helper_->has_started()) return why_probe_is_useless(program_, helper_->failure());
  return std::nullopt;
}

/// Whether the program has said that it is the right one; takes that from what it has said.
bool RocmSmiSensor::is_greeted() {
  const std::string greeting = probe_greeting;
  if (!has_greeted_ && received_.starts_with(greeting)) {
    received_.erase(0, greeting.size());
    has_greeted_ = true;
  }
  return has_greeted_;
}

SensorAnswer RocmSmiSensor::sample() {
  if (!helper_) {
    if (auto why = start()) return given_up(std::move(*why));
  }
  if (!asked_) {
    helper_->send('?');
    asked_ = SteadyTime::now();
  }
  received_ += helper_->receive(options_.patience);
  if (!is_greeted() && (helper_->is_gone() || received_.find('\n') != std::string::npos)) {
    return given_up(why_probe_is_useless(program_, ""));
  }
  if (received_.starts_with("failed")) return given_up(received_.substr(0, received_.find('\n')));
  if (received_.ends_with("end\n")) {
    asked_.reset();
    return answer_from(std::exchange(received_, {}));
  }
  if (helper_->is_gone()) return given_up("ended " + helper_->end());
  if (SteadyTime::now() - *asked_ > options_.deadline) {
    return given_up("gave no answer within " + std::to_string(options_.deadline.count()) + " ms");
  }
  return {};
}

}  // namespace

std::unique_ptr<Sensor> open_rocm_smi_sensor(const RocmSmiSensorOptions& options) {
  std::error_code error;
  // Without AMD's driver the library has nothing to say, and says so on the terminal.
  if (!fs::is_directory(options.sys / "class/drm", error)) return nullptr;
  if (!fs::is_directory(options.sys / "class/kfd/kfd/topology/nodes", error)) return nullptr;
  if (loaded_amd_library(options.maps)) return nullptr;
  return std::make_unique<RocmSmiSensor>(options);
}

}  // namespace skua
