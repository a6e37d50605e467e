// Asks librocm_smi64 everything, once.
#include "ask_everything.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace skua {
namespace {

constexpr std::uint32_t memory_of_device = 0;

void ask_gpu(const RocmSmiLibrary& library, std::uint32_t device, const Output& output) {
  output.line("asking about device", std::to_string(device));
  char name[128] = "";
  const auto status = library.call("rsmi_dev_name_get", device, static_cast<char*>(name), sizeof(name) - 1);
  if (status != RocmSmiStatus::success) name[0] = '\0';
  for (char& c : name) c = c == '\n' ? ' ' : c;
  output.line("gpu", shown(library.answer<std::uint64_t>("rsmi_dev_pci_id_get", device)),
              shown(library.answer<std::uint32_t>("rsmi_topo_get_numa_node_number", device)),
              shown(library.answer<std::uint64_t>("rsmi_dev_xgmi_hive_id_get", device)),
              shown(library.answer<std::uint64_t>("rsmi_dev_unique_id_get", device)),
              shown(library.answer<std::uint64_t>("rsmi_dev_memory_total_get", device, memory_of_device)),
              shown(library.answer<std::uint16_t>("rsmi_dev_id_get", device)), name);
}

void ask_link(const RocmSmiLibrary& library, std::uint32_t from, std::uint32_t to, const Output& output) {
  const std::string pair[] = {std::to_string(from), std::to_string(to)};
  output.line("asking for the link from", pair[0], "to", pair[1]);
  std::uint64_t hops = 0;
  std::uint32_t type = 0;
  if (library.call("rsmi_topo_get_link_type", from, to, &hops, &type) != RocmSmiStatus::success) return;
  const auto weight = library.answer<std::uint64_t>("rsmi_topo_get_link_weight", from, to);
  std::optional<std::uint64_t> min(0);
  std::optional<std::uint64_t> max(0);
  if (library.call("rsmi_minmax_bandwidth_get", from, to, &*min, &*max) != RocmSmiStatus::success) {
    min.reset();
    max.reset();
  }
  output.line("link", pair[0], pair[1], std::to_string(type), shown(weight), std::to_string(hops), shown(min),
              shown(max));
}

}  // namespace

void ask_everything(const RocmSmiLibrary& library, AskLinks ask_links, const std::set<std::uint32_t>& without,
                    const Output& output) {
  output.line("asking it to start");
  if (const RocmSmiStatus status = library.start(); status != RocmSmiStatus::success) {
    output.line("failed to start with status", std::to_string(static_cast<std::uint32_t>(status)));
    return;
  }
  output.line("asking for the number of devices");
  const auto count = library.device_count();
  if (!count) {
    output.line("failed to count the devices");
    return;
  }
  for (std::uint32_t device = 0; device < *count; ++device) {
    without.contains(device) ? output.line("without") : ask_gpu(library, device, output);
  }
  for (std::uint32_t from = 0; ask_links == AskLinks::yes && from < *count; ++from) {
    for (std::uint32_t to = 0; to < *count; ++to) {
      if (from != to && !without.contains(from) && !without.contains(to)) ask_link(library, from, to, output);
    }
  }
  output.line("end");
}

}  // namespace skua
