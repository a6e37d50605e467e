// Asks librocm_smi64 everything, once.
#include "rocm_smi_calls.hpp"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include <system/child_process.hpp>
#include <vendor/rocm_smi_library.hpp>

namespace skua {
namespace {

constexpr std::uint32_t memory_of_device = 0;

template <class Number>
std::string shown(const std::optional<Number>& number) {
  return number ? fmt::format("{}", *number) : "?";
}

class Questions {
 public:
  Questions(const RocmSmiLibrary& library, int output_file) : library_(library), output_file_(output_file) {}
  void ask(AskLinks ask_links) const;

 private:
  void ask_gpu(std::uint32_t device) const;
  void ask_link(std::uint32_t from, std::uint32_t to) const;
  void write_line(const std::string& text) const { write_or_exit(output_file_, text + '\n'); }

  const RocmSmiLibrary& library_;
  int output_file_;
};

void Questions::ask_gpu(std::uint32_t device) const {
  write_line(fmt::format("asking about device {}", device));
  char name[128] = "";
  const auto status = library_.call("rsmi_dev_name_get", device, static_cast<char*>(name), sizeof(name) - 1);
  if (status != RocmSmiStatus::success) name[0] = '\0';
  for (char& c : name) c = c == '\n' ? ' ' : c;
  write_line(fmt::format("gpu {} {} {} {} {} {}", shown(library_.answer<std::uint64_t>("rsmi_dev_pci_id_get", device)),
                         shown(library_.answer<std::uint32_t>("rsmi_topo_get_numa_node_number", device)),
                         shown(library_.answer<std::uint64_t>("rsmi_dev_xgmi_hive_id_get", device)),
                         shown(library_.answer<std::uint64_t>("rsmi_dev_unique_id_get", device)),
                         shown(library_.answer<std::uint64_t>("rsmi_dev_memory_total_get", device, memory_of_device)),
                         name));
}

void Questions::ask_link(std::uint32_t from, std::uint32_t to) const {
  write_line(fmt::format("asking for the link from {} to {}", from, to));
  std::uint64_t hops = 0;
  std::uint32_t type = 0;
  if (library_.call("rsmi_topo_get_link_type", from, to, &hops, &type) != RocmSmiStatus::success) return;
  const auto weight = library_.answer<std::uint64_t>("rsmi_topo_get_link_weight", from, to);
  std::optional<std::uint64_t> min(0);
  std::optional<std::uint64_t> max(0);
  if (library_.call("rsmi_minmax_bandwidth_get", from, to, &*min, &*max) != RocmSmiStatus::success) {
    min.reset();
    max.reset();
  }
  write_line(fmt::format("link {} {} {} {} {} {} {}", from, to, type, shown(weight), hops, shown(min), shown(max)));
}

void Questions::ask(AskLinks ask_links) const {
  write_line("asking it to start");
  if (const RocmSmiStatus status = library_.start(); status != RocmSmiStatus::success) {
    write_line(fmt::format("failed to start with status {}", static_cast<std::uint32_t>(status)));
    return;
  }
  write_line("asking for the number of devices");
  const auto count = library_.device_count();
  if (!count) {
    write_line("failed to count the devices");
    return;
  }
  for (std::uint32_t device = 0; device < *count; ++device) ask_gpu(device);
  for (std::uint32_t from = 0; ask_links == AskLinks::yes && from < *count; ++from) {
    for (std::uint32_t to = 0; to < *count; ++to) {
      if (from != to) ask_link(from, to);
    }
  }
  write_line("end");
}

}  // namespace

void ask_rocm_smi(const std::vector<std::string>& names, AskLinks ask_links, int output_file) {
  const auto library = RocmSmiLibrary::open(names);
  if (!library) return;
  write_or_exit(output_file, "library " + library->name() + '\n');
  Questions(*library, output_file).ask(ask_links);
}

}  // namespace skua
