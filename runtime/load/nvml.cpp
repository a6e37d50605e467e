// Asks NVML what the GPUs do.
#include "nvml.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <graph/vendor_address.hpp>
#include <system/host_process_id.hpp>
#include <vendor/nvml_library.hpp>

namespace skua {
namespace {

constexpr unsigned processes_max = 128;

std::optional<double> part_from(std::uint64_t percent) {
  return percent <= 100 ? std::optional(static_cast<double>(percent) / 100.0) : std::nullopt;
}

class NvmlSensor final : public Sensor {
 public:
  NvmlSensor(NvmlLibrary library, std::filesystem::path process)
      : library_(std::move(library)), process_(std::move(process)) {}
  ~NvmlSensor() override {
    if (is_started_) library_.shut_down();
  }

  /// Whether there is anything to ask about.
  bool start();
  SensorAnswer sample() override;

 private:
  struct Device {
    NvmlDevice* handle = nullptr;
    GpuAddress address;
    unsigned long long last_us = 0;  ///< of the newest reading by process
  };

  std::optional<bool> others_present(const Device& device, std::optional<std::uint32_t> own_id) const;
  void add_parts_of_processes(Device& device, std::uint32_t own_id, GpuLoad& load) const;

  NvmlLibrary library_;
  std::filesystem::path process_;
  bool is_started_ = false;
  std::vector<Device> devices_;
};

bool NvmlSensor::start() {
  is_started_ = library_.start() == NvmlStatus::success;
  if (!is_started_) return false;
  for (NvmlDevice* const handle : library_.devices().value_or(std::vector<NvmlDevice*>())) {
    const auto info = library_.pci_info(handle);
    if (info) devices_.push_back({handle, {pci_address_from(*info), std::nullopt}});
  }
  return !devices_.empty();
}

std::optional<bool> NvmlSensor::others_present(const Device& device, std::optional<std::uint32_t> own_id) const {
  NvmlProcess processes[processes_max] = {};
  unsigned count = processes_max;
  const NvmlStatus status = library_.call("nvmlDeviceGetComputeRunningProcesses_v3", device.handle, &count,
                                          static_cast<NvmlProcess*>(processes));
  if (status == NvmlStatus::insufficient_size) return true;
  if (status != NvmlStatus::success || count > processes_max) return std::nullopt;
  // At most one of them is this process, whatever its number is.
  if (count >= 2) return true;
  if (!own_id || count == 0) return std::nullopt;
  return processes[0].id != *own_id;
}

void NvmlSensor::add_parts_of_processes(Device& device, std::uint32_t own_id, GpuLoad& load) const {
  NvmlProcessUtilization readings[processes_max] = {};
  unsigned count = processes_max;
  const NvmlStatus status = library_.call("nvmlDeviceGetProcessUtilization", device.handle,
                                          static_cast<NvmlProcessUtilization*>(readings), &count, device.last_us);
  if (status != NvmlStatus::success || count > processes_max) return;
  std::map<unsigned, NvmlProcessUtilization> newest;
  for (unsigned place = 0; place < count; ++place) {
    const NvmlProcessUtilization& reading = readings[place];
    if (reading.id == 0 || reading.time_us == 0 || reading.multiprocessors > 100) continue;
    NvmlProcessUtilization& kept = newest[reading.id];
    if (reading.time_us >= kept.time_us) kept = reading;
    device.last_us = std::max(device.last_us, reading.time_us);
  }
  if (newest.empty()) return;
  std::uint64_t others_percent = 0;
  for (const auto& [id, reading] : newest) {
    if (id == own_id) {
      load.own_busy = part_from(reading.multiprocessors);
    } else {
      others_percent += reading.multiprocessors;
    }
  }
  // Each process's part is rounded for itself.
  load.others_busy = part_from(std::min<std::uint64_t>(others_percent, 100));
}

SensorAnswer NvmlSensor::sample() {
  SensorAnswer answer;
  const auto own_id = host_process_id(process_);
  for (auto device = devices_.begin(); device != devices_.end();) {
    NvmlUtilization utilization = {};
    const NvmlStatus status = library_.call("nvmlDeviceGetUtilizationRates", device->handle, &utilization);
    if (status == NvmlStatus::gpu_is_lost || status == NvmlStatus::no_driver) {
      device = devices_.erase(device);
      continue;
    }
    GpuLoad load;
    if (status == NvmlStatus::success) load.busy = part_from(utilization.gpu);
    load.others_present = others_present(*device, own_id);
    if (own_id) add_parts_of_processes(*device, *own_id, load);
    answer.samples.push_back({device->address, load});
    ++device;
  }
  if (devices_.empty()) answer.failure = "nvml: has lost its GPUs; their load is not known any more";
  return answer;
}

}  // namespace

std::unique_ptr<Sensor> open_nvml_sensor(const NvmlSensorOptions& options) {
  auto library = NvmlLibrary::open(options.library);
  if (!library) return nullptr;
  auto sensor = std::make_unique<NvmlSensor>(*std::move(library), options.process);
  return sensor->start() ? std::move(sensor) : nullptr;
}

}  // namespace skua
