// Calls librocm_smi64 through addresses taken from its own handle.
#include "rocm_smi_calls.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace skua {
namespace {

// The few types of rocm_smi.h that are needed, as they have been since ROCm 4: the library is opened at run time and
// its header is not there on most build machines.
using Status = std::uint32_t;
constexpr Status status_success = 0;
// Locks against threads only. Versions that do not know the flag ignore it.
constexpr std::uint64_t init_thread_only_lock = 0x400000000000000;
constexpr std::uint32_t memory_of_device = 0;

class Calls {
 public:
  Calls(void* library, int output_file) : library_(library), output_file_(output_file) {}
  void ask(AskLinks ask_links);

 private:
  template <class... Parameters>
  auto function(const char* name) const {
    return reinterpret_cast<Status (*)(Parameters...)>(dlsym(library_, name));
  }

  /// The answer of a call that takes the device and a place for one number.
  template <class Number>
  std::optional<Number> number_of(const char* name, std::uint32_t device) const {
    const auto call = function<std::uint32_t, Number*>(name);
    Number number = 0;
    if (call == nullptr || call(device, &number) != status_success) return std::nullopt;
    return number;
  }

  template <class Number>
  static std::string shown(const std::optional<Number>& number) {
    return number ? fmt::format("{}", *number) : "?";
  }

  void ask_gpu(std::uint32_t device) const;
  void ask_link(std::uint32_t from, std::uint32_t to) const;
  void write_line(const std::string& text) const;

  void* library_;
  int output_file_;
};

void Calls::write_line(const std::string& text) const {
  const std::string line = text + '\n';
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t count = write(output_file_, line.data() + written, line.size() - written);
    if (count <= 0) _exit(1);
    written += static_cast<std::size_t>(count);
  }
}

void Calls::ask_gpu(std::uint32_t device) const {
  write_line(fmt::format("asking about device {}", device));
  const auto memory_call = function<std::uint32_t, std::uint32_t, std::uint64_t*>("rsmi_dev_memory_total_get");
  std::optional<std::uint64_t> memory(0);
  if (memory_call == nullptr || memory_call(device, memory_of_device, &*memory) != status_success) memory.reset();
  const auto name_call = function<std::uint32_t, char*, std::size_t>("rsmi_dev_name_get");
  char name[128] = "";
  if (name_call == nullptr || name_call(device, name, sizeof(name) - 1) != status_success) name[0] = '\0';
  for (char& c : name) c = c == '\n' ? ' ' : c;
  write_line(fmt::format("gpu {} {} {} {} {} {}", shown(number_of<std::uint64_t>("rsmi_dev_pci_id_get", device)),
                         shown(number_of<std::uint32_t>("rsmi_topo_get_numa_node_number", device)),
                         shown(number_of<std::uint64_t>("rsmi_dev_xgmi_hive_id_get", device)),
                         shown(number_of<std::uint64_t>("rsmi_dev_unique_id_get", device)), shown(memory), name));
}

void Calls::ask_link(std::uint32_t from, std::uint32_t to) const {
  write_line(fmt::format("asking for the link from {} to {}", from, to));
  const auto type_call =
      function<std::uint32_t, std::uint32_t, std::uint64_t*, std::uint32_t*>("rsmi_topo_get_link_type");
  const auto weight_call = function<std::uint32_t, std::uint32_t, std::uint64_t*>("rsmi_topo_get_link_weight");
  const auto speed_call =
      function<std::uint32_t, std::uint32_t, std::uint64_t*, std::uint64_t*>("rsmi_minmax_bandwidth_get");
  std::uint64_t hops = 0;
  std::uint32_t type = 0;
  if (type_call == nullptr || type_call(from, to, &hops, &type) != status_success) return;
  std::optional<std::uint64_t> weight(0);
  if (weight_call == nullptr || weight_call(from, to, &*weight) != status_success) weight.reset();
  std::optional<std::uint64_t> min(0);
  std::optional<std::uint64_t> max(0);
  if (speed_call == nullptr || speed_call(from, to, &*min, &*max) != status_success) {
    min.reset();
    max.reset();
  }
  write_line(fmt::format("link {} {} {} {} {} {} {}", from, to, type, shown(weight), hops, shown(min), shown(max)));
}

void Calls::ask(AskLinks ask_links) {
  write_line("asking it to start");
  const auto init = function<std::uint64_t>("rsmi_init");
  const Status started = init == nullptr ? ~Status{0} : init(init_thread_only_lock);
  if (started != status_success) {
    write_line(fmt::format("failed to start with status {}", started));
    return;
  }
  write_line("asking for the number of devices");
  const auto count_call = function<std::uint32_t*>("rsmi_num_monitor_devices");
  std::uint32_t count = 0;
  if (count_call == nullptr || count_call(&count) != status_success) {
    write_line("failed to count the devices");
    return;
  }
  for (std::uint32_t device = 0; device < count; ++device) ask_gpu(device);
  for (std::uint32_t from = 0; ask_links == AskLinks::yes && from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      if (from != to) ask_link(from, to);
    }
  }
  // It is not asked to shut down: the process ends at once, and shutting down has its own locks.
  write_line("end");
}

}  // namespace

void ask_rocm_smi(const std::vector<std::string>& libraries, AskLinks ask_links, int output_file) {
  for (const std::string& name : libraries) {
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    const std::string line = "library " + name + '\n';
    if (write(output_file, line.data(), line.size()) < 0) _exit(1);
    Calls(library, output_file).ask(ask_links);
    return;
  }
}

}  // namespace skua
