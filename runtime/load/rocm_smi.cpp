// Asks librocm_smi64 in a helper process, and gives it up when it fails.
#include "rocm_smi.hpp"

#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <system/helper_process.hpp>
#include "rocm_smi_load.hpp"

namespace skua {
namespace {

namespace fs = std::filesystem;
using SteadyTime = std::chrono::steady_clock;

std::optional<std::uint64_t> number_from(const std::string& word) {
  if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  std::istringstream digits(word);
  std::uint64_t number = 0;
  return digits >> number ? std::optional(number) : std::nullopt;
}

/// From the library's number for the place of a device.
GpuAddress address_from(std::uint64_t id) {
  GpuAddress address;
  address.pci.domain = static_cast<std::uint32_t>(id >> 32);
  address.pci.bus = static_cast<std::uint8_t>(id >> 8 & 0xff);
  address.pci.device = static_cast<std::uint8_t>(id >> 3 & 0x1f);
  address.pci.function = static_cast<std::uint8_t>(id & 0x7);
  const auto partition = static_cast<std::uint32_t>(id >> 28 & 0xf);
  if (partition > 0) address.partition = partition;
  return address;
}

class RocmSmiSensor final : public Sensor {
 public:
  explicit RocmSmiSensor(RocmSmiSensorOptions options) : options_(std::move(options)) {}
  SensorAnswer sample() override;

 private:
  SensorAnswer given_up(std::string why);
  SensorAnswer answer_from(const std::string& text) const;

  RocmSmiSensorOptions options_;
  std::optional<HelperProcess> helper_;
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
    const auto place = number_from(id);
    if (kind != "gpu" || !place) continue;
    GpuLoad load;
    const auto busy = number_from(percent);
    if (busy && *busy <= 100) load.busy = static_cast<double>(*busy) / 100.0;
    answer.samples.push_back({address_from(*place), load});
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

bool is_library_in_process(const fs::path& maps) {
  std::ifstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("libamd_smi") != std::string::npos || line.find("librocm_smi64") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Sensor> open_rocm_smi_sensor(const RocmSmiSensorOptions& options) {
  std::error_code error;
  // Without AMD's driver the library has nothing to say, and says so on the terminal.
  if (!fs::is_directory(options.sys / "class/drm", error)) return nullptr;
  if (!fs::is_directory(options.sys / "class/kfd/kfd/topology/nodes", error)) return nullptr;
  if (is_library_in_process(options.maps)) return nullptr;
  return std::make_unique<RocmSmiSensor>(options);
}

}  // namespace skua
