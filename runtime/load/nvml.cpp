// Asks NVML what the GPUs do, through addresses taken from a handle of its own.
#include "nvml.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <utility>

#include <system/own_process.hpp>

namespace skua {
namespace {

// The few types that are needed, as NVML's documentation fixes them: its header comes with CUDA only.
struct NvmlDevice;
using Status = int;
constexpr Status status_success = 0;
constexpr Status status_insufficient_size = 7;
constexpr Status status_no_driver = 9;
constexpr Status status_not_found = 13;
constexpr Status status_gpu_is_lost = 15;

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct RunningProcess {
  unsigned id;
  unsigned long long memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct ProcessUtilization {
  unsigned id;
  unsigned long long time_us;
  unsigned multiprocessors;
  unsigned memory;
  unsigned encoder;
  unsigned decoder;
};

constexpr unsigned processes_max = 128;

std::optional<double> part_from(std::uint64_t percent) {
  return percent <= 100 ? std::optional(static_cast<double>(percent) / 100.0) : std::nullopt;
}

class NvmlSensor final : public Sensor {
 public:
  NvmlSensor(void* library, std::filesystem::path process) : library_(library), process_(std::move(process)) {}
  ~NvmlSensor() override {
    if (is_started_) call("nvmlShutdown");
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

  template <class... Parameters>
  Status call(const char* name, Parameters... parameters) const {
    const auto address = reinterpret_cast<Status (*)(Parameters...)>(dlsym(library_, name));
    return address == nullptr ? status_not_found : address(parameters...);
  }

  std::optional<bool> others_present(const Device& device, std::optional<std::uint32_t> own_id) const;
  void add_parts_of_processes(Device& device, std::uint32_t own_id, GpuLoad& load) const;

  void* library_;  ///< stays open: it starts threads and does not bear being unloaded
  std::filesystem::path process_;
  bool is_started_ = false;
  std::vector<Device> devices_;
};

bool NvmlSensor::start() {
  is_started_ = call("nvmlInit_v2") == status_success;
  unsigned count = 0;
  if (!is_started_ || call("nvmlDeviceGetCount_v2", &count) != status_success) return false;
  for (unsigned index = 0; index < count; ++index) {
    Device device;
    PciInfo info = {};
    if (call("nvmlDeviceGetHandleByIndex_v2", index, &device.handle) != status_success) continue;
    if (call("nvmlDeviceGetPciInfo_v3", device.handle, &info) != status_success) continue;
    device.address.pci = {info.domain, static_cast<std::uint8_t>(info.bus), static_cast<std::uint8_t>(info.device), 0};
    devices_.push_back(device);
  }
  return !devices_.empty();
}

std::optional<bool> NvmlSensor::others_present(const Device& device, std::optional<std::uint32_t> own_id) const {
  RunningProcess processes[processes_max] = {};
  unsigned count = processes_max;
  const Status status =
      call("nvmlDeviceGetComputeRunningProcesses_v3", device.handle, &count, static_cast<RunningProcess*>(processes));
  if (status == status_insufficient_size) return true;
  if (status != status_success || count > processes_max) return std::nullopt;
  // At most one of them is this process, whatever its number is.
  if (count >= 2) return true;
  if (!own_id || count == 0) return std::nullopt;
  return processes[0].id != *own_id;
}

void NvmlSensor::add_parts_of_processes(Device& device, std::uint32_t own_id, GpuLoad& load) const {
  ProcessUtilization readings[processes_max] = {};
  unsigned count = processes_max;
  const Status status = call("nvmlDeviceGetProcessUtilization", device.handle,
                             static_cast<ProcessUtilization*>(readings), &count, device.last_us);
  if (status != status_success || count > processes_max) return;
  std::map<unsigned, ProcessUtilization> newest;
  for (unsigned place = 0; place < count; ++place) {
    const ProcessUtilization& reading = readings[place];
    if (reading.id == 0 || reading.time_us == 0 || reading.multiprocessors > 100) continue;
    ProcessUtilization& kept = newest[reading.id];
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
    Utilization utilization = {};
    const Status status = call("nvmlDeviceGetUtilizationRates", device->handle, &utilization);
    if (status == status_gpu_is_lost || status == status_no_driver) {
      device = devices_.erase(device);
      continue;
    }
    GpuLoad load;
    if (status == status_success) load.busy = part_from(utilization.gpu);
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
  void* library = dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto sensor = std::make_unique<NvmlSensor>(library, options.process);
  return sensor->start() ? std::move(sensor) : nullptr;
}

}  // namespace skua
