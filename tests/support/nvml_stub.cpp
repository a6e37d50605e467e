// Stands in for libnvidia-ml: four GPUs, of which 0 and 1 are joined by two NVLinks and 2 and 3 hang on switches.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

constexpr int refused = 3;
constexpr int no_permission = 4;
constexpr int gpu_is_lost = 15;
int devices[4] = {0, 1, 2, 3};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 4;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, int** device) {
  const char* behaviour = std::getenv("NVML_STUB");
  if (behaviour != nullptr && std::strcmp(behaviour, "lost and forbidden") == 0 && index < 2) {
    return index == 0 ? gpu_is_lost : no_permission;
  }
  *device = &devices[index];
  return 0;
}

int nvmlDeviceGetName(const int*, char* name, unsigned length) {
  std::snprintf(name, length, "stub");
  return 0;
}

int nvmlDeviceGetUUID(const int* device, char* uuid, unsigned length) {
  std::snprintf(uuid, length, "GPU-%d", *device);
  return 0;
}

int nvmlDeviceGetPciInfo_v3(const int* device, PciInfo* info) {
  *info = {"", 1, static_cast<unsigned>(0x10 + *device), 0, 0, 0, ""};
  return 0;
}

int nvmlDeviceGetMemoryInfo(const int*, Memory* memory) {
  *memory = {1000, 0, 1000};
  return 0;
}

int nvmlDeviceGetCudaComputeCapability(const int*, int* major, int* minor) {
  *major = 8;
  *minor = 0;
  return 0;
}

int nvmlDeviceGetNumGpuCores(const int*, unsigned* cores) {
  *cores = 6912;
  return 0;
}

int nvmlDeviceGetNvLinkState(const int* device, unsigned link, unsigned* active) {
  if (link >= 12) return refused;
  *active = *device >= 2 || link < 2 ? 1 : 0;
  return 0;
}

int nvmlDeviceGetNvLinkVersion(const int*, unsigned, unsigned* version) {
  *version = 4;
  return 0;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(const int* device, unsigned, PciInfo* info) {
  const unsigned bus = *device >= 2 ? 0xf0u : 0x10u + (*device == 0 ? 1u : 0u);
  *info = {"", 1, bus, 0, 0, 0, ""};
  return 0;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(const int* device, unsigned, unsigned* type) {
  *type = *device >= 2 ? 2 : 0;
  return 0;
}

int nvmlDeviceGetTopologyCommonAncestor(const int* from, const int* to, unsigned* level) {
  *level = *from / 2 == *to / 2 ? 10 : 50;
  return 0;
}
}
