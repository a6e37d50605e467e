// Stands in for libnvidia-ml with two GPUs and their load; NVML_STUB says what is special.
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

std::string behaviour() {
  const char* text = std::getenv("NVML_STUB");
  return text == nullptr ? "" : text;
}

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

constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;
constexpr int no_driver = 9;
constexpr int gpu_is_lost = 15;
constexpr unsigned other_process = 1;
int devices[2] = {0, 1};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return behaviour() == "no driver" ? no_driver : 0;
}
int nvmlShutdown() {
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, int** device) {
  *device = &devices[index];
  return 0;
}

int nvmlDeviceGetPciInfo_v3(const int* device, PciInfo* info) {
  *info = {"", 1, static_cast<unsigned>(0x20 - *device), 0, 0, 0, ""};
  return 0;
}

int nvmlDeviceGetUtilizationRates(const int* device, Utilization* utilization) {
  if (behaviour() == "lost" || (behaviour() == "one lost" && *device == 0)) return gpu_is_lost;
  if (behaviour() == "partitioned") return not_supported;
  *utilization = {behaviour() == "all ones" ? ~0u : *device == 0 ? 75u : 0u, 0};
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(const int* device, unsigned* count, RunningProcess* processes) {
  if (behaviour() == "many") {
    *count = 1000;
    return insufficient_size;
  }
  const unsigned room = *count;
  *count = 0;
  if (behaviour() == "hidden") return 0;
  if (room >= 2) processes[(*count)++] = {static_cast<unsigned>(getpid()), ~0ull, 0, 0};
  if (*device == 0) processes[(*count)++] = {other_process, 0, 0, 0};
  return 0;
}

int nvmlDeviceGetProcessUtilization(const int* device, ProcessUtilization* readings, unsigned* count,
                                    unsigned long long last_us) {
  // Each reading is given once.
  if (*device != 0 || last_us >= 20 || *count < 4) return not_found;
  const auto own = static_cast<unsigned>(getpid());
  readings[0] = {own, 20, 30, 0, 0, 0};
  readings[1] = {own, 10, 99, 0, 0, 0};
  readings[2] = {other_process, 20, 45, 0, 0, 0};
  readings[3] = {other_process + 1, 20, ~0u, 0, 0, 0};
  *count = 4;
  return 0;
}
}
