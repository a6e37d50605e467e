// Asks librocm_smi64 for load, over and over.
#include "ask_load.hpp"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "protocol.hpp"

namespace skua {

void ask_load(const RocmSmiLibrary& library, int connection, const Output& output) {
  if (const RocmSmiStatus status = library.start(); status != RocmSmiStatus::success) {
    output.line("failed to start with status", std::to_string(static_cast<std::uint32_t>(status)));
    return;
  }
  const auto count = library.device_count();
  if (!count) return output.line("failed to count the devices");
  // What stays the same is asked for once.
  std::vector<std::string> ids;
  std::vector<std::string> models;
  for (std::uint32_t device = 0; device < *count; ++device) {
    ids.push_back(shown(library.answer<std::uint64_t>("rsmi_dev_unique_id_get", device)));
    models.push_back(shown(library.answer<std::uint16_t>("rsmi_dev_id_get", device)));
  }
  alarm(0);
  for (char question = 0; read(connection, &question, 1) == 1;) {
    alarm(probe_patience_s);
    for (std::uint32_t device = 0; device < *count; ++device) {
      output.line("gpu", shown(library.answer<std::uint64_t>("rsmi_dev_pci_id_get", device)),
                  shown(library.answer<std::uint32_t>("rsmi_dev_busy_percent_get", device)), ids[device],
                  models[device]);
    }
    output.line("end");
    alarm(0);
  }
}

}  // namespace skua
