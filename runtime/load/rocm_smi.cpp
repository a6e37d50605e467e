// Asks librocm_smi64 in a helper process, and gives it up when it fails.
#include "rocm_smi.hpp"

#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <graph/vendor_address.hpp>
#include <system/child_process.hpp>
#include <text/numbers.hpp>
#include <vendor/rocm_smi_library.hpp>

#include "rocm_smi_helper.hpp"

namespace skua {
namespace {

namespace fs = std::filesystem;
using SteadyTime = std::chrono::steady_clock;

class RocmSmiSensor final : public Sensor {
 public:
  explicit RocmSmiSensor(RocmSmiSensorOptions options) : options_(std::move(options)) {}
  SensorAnswer sample() override;

 private:
  SensorAnswer given_up(std::string why);
  SensorAnswer answer_from(const std::string& text) const;

  RocmSmiSensorOptions options_;
  std::optional<ChildProcess> helper_;
  std::optional<SteadyTime::time_point> asked_;  ///< nothing: no answer is due
  std::string received_;
};

SensorAnswer RocmSmiSensor::given_up(std::string why) {
  helper_.reset();
  asked_.reset();
  received_.clear();
  return {{}, "rocm_smi: " + std::move(why) + "; load is read without it"};
}

SensorAnswer RocmSmiSensor::answer_from(const std::string& text) const {
  SensorAnswer answer;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string id;
    std::string percent;
    words >> kind >> id >> percent;
    const auto bdf = number_from<std::uint64_t>(id);
    if (kind != "gpu" || !bdf) continue;
    GpuLoad load;
    const auto busy = number_from<std::uint64_t>(percent);
    if (busy && *busy <= 100) load.busy = static_cast<double>(*busy) / 100.0;
    const GpuPlace place = place_from_bdf(*bdf);
    answer.samples.push_back({{place.pci, place.partition}, load});
  }
  return answer;
}

SensorAnswer RocmSmiSensor::sample() {
  if (!helper_) {
    // Started by the thread that samples, with whose end the helper ends too.
    helper_.emplace([libraries = options_.libraries](int connection) { tell_rocm_smi_load(libraries, connection); });
  }
  if (!asked_) {
    helper_->send('?');
    asked_ = SteadyTime::now();
  }
  received_ += helper_->receive(options_.patience);
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
