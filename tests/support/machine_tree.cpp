// Writes the files that the driver would show for a described machine, as far as anybody reads them.
#include "support/machine_tree.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include <skua/detail/pci_address.hpp>

#include "support/forked_call.hpp"

namespace skua::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path topology_folder = "devices/virtual/kfd/kfd/topology";

int link_type(const json& type) {
  static const std::map<std::string, int> types = {{"ht", 1}, {"pcie", 2}, {"qpi", 5}, {"xgmi", 11}};
  return type.is_string() ? types.at(type.get<std::string>()) : type.get<int>();
}

struct Model {
  int version;
  int device_id;
  std::array<int, 3> geometry;  ///< arrays, arrays an engine, units an array
};

const Model& model_of(const std::string& gfx) {
  static const std::map<std::string, Model> models = {{"gfx906", {90006, 0x66a1, {4, 1, 16}}},
                                                      {"gfx908", {90008, 0x738c, {8, 1, 16}}},
                                                      {"gfx90a", {90010, 0x7408, {8, 1, 14}}},
                                                      {"gfx942", {90402, 0x74a1, {32, 1, 10}}}};
  return models.at(gfx);
}

void write_text(const char* file, const std::string& text) {
  const int descriptor = open(file, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  if (write(descriptor, text.data(), text.size()) < 0) std::perror(file);
  close(descriptor);
}

void require(bool is_done, const char* what) {
  if (!is_done) throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

/// Gives this process a /sys of its own, and a /dev/shm, where the library keeps its locks.
void enter(const fs::path& tree) {
  const uid_t user = getuid();
  const gid_t group = getgid();
  require(unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) == 0, "unshare");
  if (user != 0) {
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", fmt::format("0 {} 1", user));
    write_text("/proc/self/gid_map", fmt::format("0 {} 1", group));
  }
  require(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "making mounts private");
  // The CPUs stay those of this machine.
  const fs::path system = tree / "devices/system";
  require(mount("/sys/devices/system", system.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0, "binding the CPUs");
  require(mount(tree.c_str(), "/sys", nullptr, MS_BIND | MS_REC, nullptr) == 0, "binding /sys");
  require(mount("tmpfs", "/dev/shm", "tmpfs", 0, nullptr) == 0, "mounting /dev/shm");
}

}  // namespace

MachineTree::MachineTree(const json& machine) {
  fs::create_directories(path() / "devices/system");
  fs::create_directories(path() / "bus/pci/devices");
  fs::create_directories(path() / "devices/virtual/kfd/kfd/proc");
  folder_.write(topology_folder / "generation_id", "1\n");
  folder_.write(topology_folder / "system_properties", "platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
  folder_.link("devices/virtual/kfd/kfd", "class/kfd/kfd");

  const auto cpu_count = static_cast<std::uint32_t>(machine.at("cpus").size());
  std::uint32_t number = 0;
  for (const json& cpu : machine.at("cpus")) {
    add_node(number++, {{"cpu_cores_count", cpu.at("cores")}, {"simd_count", 0}}, false);
  }
  if (machine.value("bmc_card0", false)) add_card("0000:fe:1f.0", "0x1a03", -1);
  std::map<int, std::uint32_t> node_of;
  for (const json& gpu : machine.at("gpus")) {
    const Model& model = model_of(gpu.value("gfx", machine.value("gfx", "")));
    const auto address = PciAddress::from_text(gpu.at("bdf").get<std::string>()).value();
    const auto geometry = machine.value("geometry", model.geometry);
    const int units = gpu.contains("cu") ? gpu.at("cu").get<int>() : machine.at("cu").get<int>();
    node_of[gpu.at("index")] = number;
    add_node(number,
             {{"cpu_cores_count", 0},
              {"simd_count", units * 4},
              {"array_count", geometry[0]},
              {"simd_arrays_per_engine", geometry[1]},
              {"cu_per_simd_array", geometry[2]},
              {"simd_per_cu", 4},
              {"gfx_target_version", model.version},
              {"vendor_id", 0x1002},
              {"device_id", model.device_id},
              {"location_id", address.bus << 8 | address.device << 3 | address.function},
              {"domain", address.domain},
              {"drm_render_minor", 128 + gpu.at("index").get<int>()},
              {"hive_id", std::stoull(gpu.value("hive_id", "0"))},
              {"unique_id", 7000 + gpu.at("index").get<int>()}},
             true);
    add_links("io_links", number, gpu.value("cpu_node", gpu.at("numa").get<std::uint32_t>()), machine.at("host_link"));
    add_card(address.to_text(), "0x1002", gpu.at("numa"));
    ++number;
  }
  for (const json& link : machine.value("cpu_links", json::array()))
    add_links("io_links", link.at("a"), link.at("b"), link);
  for (const char* kind : {"gpu_links", "p2p_links"}) {
    for (const json& link : machine.value(kind, json::array())) {
      add_links(std::strcmp(kind, "p2p_links") == 0 ? kind : "io_links", node_of.at(link.at("a")),
                node_of.at(link.at("b")), link);
    }
  }
  if (number <= cpu_count) throw std::runtime_error("a machine without GPUs");
}

void MachineTree::add_node(std::uint32_t number, const json& properties, bool is_gpu) {
  const fs::path node = topology_folder / "nodes" / std::to_string(number);
  std::string text;
  for (const auto& [name, value] : properties.items()) text += fmt::format("{} {}\n", name, value.dump());
  folder_.write(node / "properties", text);
  folder_.write(node / "gpu_id", fmt::format("{}\n", is_gpu ? 4000 + number : 0));
  folder_.write(node / "name", "\n");
  for (const char* kind : {"io_links", "p2p_links", "mem_banks"}) fs::create_directories(path() / node / kind);
}

void MachineTree::add_link(const char* kind, std::uint32_t from, std::uint32_t to, const json& link) {
  const fs::path folder = topology_folder / "nodes" / std::to_string(from) / kind;
  const auto number = std::distance(fs::directory_iterator(path() / folder), fs::directory_iterator());
  folder_.write(
      folder / std::to_string(number) / "properties",
      fmt::format("type {}\nversion_major 0\nversion_minor 0\nnode_from {}\nnode_to {}\nweight {}\nmin_latency 0\n"
                  "max_latency 0\nmin_bandwidth {}\nmax_bandwidth {}\nrecommended_transfer_size 0\nflags 1\n",
                  link_type(link.at("type")), from, to, link.at("weight").get<int>(), link.value("min", 0),
                  link.value("max", 0)));
}

void MachineTree::add_links(const char* kind, std::uint32_t a, std::uint32_t b, const json& link) {
  add_link(kind, a, b, link);
  add_link(kind, b, a, link);
}

void MachineTree::add_card(const std::string& address, const std::string& vendor, int numa_node) {
  const PciAddress parsed = PciAddress::from_text(address).value();
  const fs::path device = fmt::format("devices/pci{:04x}:{:02x}/{}", parsed.domain, parsed.bus, address);
  const std::string card = fmt::format("card{}", cards_++);
  folder_.write(device / "vendor", vendor + "\n");
  folder_.write(device / "device", "0x740f\n");
  folder_.write(device / "numa_node", fmt::format("{}\n", numa_node));
  if (vendor == "0x1002") folder_.write(device / "vbios_version", "113-0000\n");
  folder_.write(device / "drm" / card / "dev", "226:0\n");
  folder_.link(device, device / "drm" / card / "device");
  folder_.link(device / "drm" / card, fs::path("class/drm") / card);
  folder_.link(device, fs::path("bus/pci/devices") / address);
}

std::optional<std::string> MachineTree::run_inside(const std::function<std::string()>& work,
                                                   std::string& reason) const {
  const auto result = in_forked_process([&] {
    try {
      enter(path());
      return "+" + work();
    } catch (const std::exception& error) {
      return std::string("-") + error.what();
    }
  });
  if (result && result->starts_with('+')) return result->substr(1);
  reason = result && result->starts_with('-') ? result->substr(1) : "the process inside died";
  return std::nullopt;
}

}  // namespace skua::test
