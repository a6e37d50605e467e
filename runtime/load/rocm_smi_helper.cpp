// Asks librocm_smi64 for load, over and over.
#include "rocm_smi_helper.hpp"

#include <unistd.h>

#include <cstdint>
#include <optional>

#include <system/child_process.hpp>
#include <vendor/rocm_smi_library.hpp>

namespace skua {
namespace {

template <class Number>
std::string shown(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "?";
}

std::string load_of(const RocmSmiLibrary& library, std::uint32_t device) {
  return "gpu " + shown(library.answer<std::uint64_t>("rsmi_dev_pci_id_get", device)) + ' ' +
         shown(library.answer<std::uint32_t>("rsmi_dev_busy_percent_get", device)) + '\n';
}

}  // namespace

void tell_rocm_smi_load(const std::vector<std::string>& names, int connection) {
  const auto library = RocmSmiLibrary::open(names);
  if (!library) return write_or_exit(connection, "failed to load\n");
  if (const RocmSmiStatus status = library->start(); status != RocmSmiStatus::success) {
    const auto number = static_cast<std::uint32_t>(status);
    return write_or_exit(connection, "failed to start with status " + std::to_string(number) + '\n');
  }
  const auto count = library->device_count();
  if (!count) return write_or_exit(connection, "failed to count the devices\n");
  for (char question = 0; read(connection, &question, 1) == 1;) {
    std::string text;
    for (std::uint32_t device = 0; device < *count; ++device) text += load_of(*library, device);
    write_or_exit(connection, text + "end\n");
  }
}

}  // namespace skua
