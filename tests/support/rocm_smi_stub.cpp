// Stands in for librocm_smi64 with two GPUs; SMI_STUB says how it misbehaves.
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

namespace {

std::string behaviour() {
  const char* text = std::getenv("SMI_STUB");
  return text == nullptr ? "" : text;
}

constexpr std::uint32_t status_not_supported = 2;
constexpr std::uint32_t status_busy = 16;

}  // namespace

extern "C" {

std::uint32_t rsmi_init(std::uint64_t) {
#ifdef STUB_REFUSES
  return 99;
#else
  // What the real library does with a stale lock of each of eight devices.
  for (int device = 0; device < 8 && behaviour() == "hang"; ++device) sleep(5);
  return behaviour() == "busy" ? status_busy : 0;
#endif
}

std::uint32_t rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = 2;
  return 0;
}

std::uint32_t rsmi_dev_pci_id_get(std::uint32_t device, std::uint64_t* id) {
  if (behaviour() == "segfault") std::raise(SIGSEGV);
  if (behaviour() == "segfault of device 0" && device == 0) std::raise(SIGSEGV);
  if (behaviour() == "no address of device 0" && device == 0) return status_not_supported;
  if (behaviour() == "partitions") {
    *id = 0xc100 + std::uint64_t{device};
    return 0;
  }
  *id = 0x0300 + 0x4000 * std::uint64_t{device} + (std::uint64_t{device} << 32);
  return 0;
}

std::uint32_t rsmi_topo_get_numa_node_number(std::uint32_t device, std::uint32_t* node) {
  *node = device;
  return 0;
}

std::uint32_t rsmi_dev_xgmi_hive_id_get(std::uint32_t, std::uint64_t* hive) {
  *hive = UINT64_MAX;
  return 0;
}

std::uint32_t rsmi_dev_id_get(std::uint32_t, std::uint16_t* id) {
  *id = behaviour() == "partitions" ? 0x74a1 : 0x740f;
  return 0;
}

std::uint32_t rsmi_dev_name_get(std::uint32_t, char* name, std::size_t length) {
  std::strncpy(name, "stub GPU", length);
  return 0;
}

std::uint32_t rsmi_topo_get_link_type(std::uint32_t, std::uint32_t, std::uint64_t* hops, std::uint32_t* type) {
  if (behaviour() == "abort") std::abort();
  *hops = 1;
  *type = 2;
  return 0;
}

std::uint32_t rsmi_topo_get_link_weight(std::uint32_t, std::uint32_t, std::uint64_t* weight) {
  *weight = 15;
  return 0;
}

std::uint32_t rsmi_minmax_bandwidth_get(std::uint32_t, std::uint32_t, std::uint64_t* min, std::uint64_t* max) {
  *min = 50000;
  *max = 200000;
  return 0;
}
}
