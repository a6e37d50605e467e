// Calls librocm_smi64 through addresses taken from its own handle, over and over.
#include "rocm_smi_load.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>

namespace skua {
namespace {

using Status = std::uint32_t;
constexpr Status status_success = 0;
// Locks against threads only. Versions that do not know the flag ignore it.
constexpr std::uint64_t init_thread_only_lock = 0x400000000000000;

class LoadTeller {
 public:
  LoadTeller(void* library, int connection) : library_(library), connection_(connection) {}
  void tell() const;

 private:
  template <class... Parameters>
  Status call(const char* name, Parameters... parameters) const {
    const auto address = reinterpret_cast<Status (*)(Parameters...)>(dlsym(library_, name));
    return address == nullptr ? ~Status{0} : address(parameters...);
  }

  template <class Number>
  std::string number_of(const char* name, std::uint32_t device) const {
    Number number = 0;
    return call(name, device, &number) == status_success ? std::to_string(number) : "?";
  }

  void write_text(const std::string& text) const;

  void* library_;
  int connection_;
};

void LoadTeller::write_text(const std::string& text) const {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(connection_, text.data() + written, text.size() - written);
    if (count <= 0) _exit(1);
    written += static_cast<std::size_t>(count);
  }
}

void LoadTeller::tell() const {
  if (const Status status = call("rsmi_init", init_thread_only_lock); status != status_success) {
    write_text("failed to start with status " + std::to_string(status) + '\n');
    return;
  }
  std::uint32_t count = 0;
  if (call("rsmi_num_monitor_devices", &count) != status_success) {
    write_text("failed to count the devices\n");
    return;
  }
  for (char question = 0; read(connection_, &question, 1) == 1;) {
    std::string text;
    for (std::uint32_t device = 0; device < count; ++device) {
      text += "gpu " + number_of<std::uint64_t>("rsmi_dev_pci_id_get", device) + ' ' +
              number_of<std::uint32_t>("rsmi_dev_busy_percent_get", device) + '\n';
    }
    write_text(text + "end\n");
  }
}

}  // namespace

void tell_rocm_smi_load(const std::vector<std::string>& libraries, int connection) {
  for (const std::string& name : libraries) {
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    LoadTeller(library, connection).tell();
    return;
  }
  const std::string text = "failed to load\n";
  if (write(connection, text.data(), text.size()) < 0) _exit(1);
}

}  // namespace skua
