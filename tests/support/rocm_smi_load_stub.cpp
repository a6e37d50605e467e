// Stands in for librocm_smi64 with two GPUs and their load; SMI_STUB says how it misbehaves.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

std::string behaviour() {
  const char* text = std::getenv("SMI_STUB");
  return text == nullptr ? "" : text;
}

constexpr std::uint32_t status_not_supported = 2;
constexpr std::uint32_t status_busy = 16;
std::uint32_t answers = 0;

}  // namespace

extern "C" {

std::uint32_t rsmi_init(std::uint64_t) {
  // What the real library does with a stale lock of each of eight devices.
  for (int device = 0; device < 8 && behaviour() == "hang"; ++device) sleep(5);
  return behaviour() == "busy" ? status_busy : 0;
}

std::uint32_t rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = 2;
  return 0;
}

std::uint32_t rsmi_dev_pci_id_get(std::uint32_t device, std::uint64_t* id) {
  if (behaviour() == "partitions") {
    *id = 0xc100 + std::uint64_t{device} + 2;
    return 0;
  }
  *id = 0x0300 + 0x4000 * std::uint64_t{device} + (std::uint64_t{device} << 32);
  return 0;
}

std::uint32_t rsmi_dev_id_get(std::uint32_t, std::uint16_t* id) {
  *id = behaviour() == "partitions" ? 0x74a1 : 0x740f;
  return 0;
}

std::uint32_t rsmi_dev_busy_percent_get(std::uint32_t device, std::uint32_t* percent) {
  if (behaviour() == "segfault later" && device == 0 && answers == 2) std::raise(SIGSEGV);
  if (behaviour() == "all ones") *percent = ~std::uint32_t{0};
  if (behaviour() == "all ones") return 0;
  if (device == 1) return status_not_supported;
  *percent = 40 + answers++;
  return 0;
}
}
