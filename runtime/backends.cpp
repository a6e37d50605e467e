// The one list of backends, and the grammar of --devices.
#include <skua/backends.hpp>

#include <algorithm>
#include <map>
#include <mutex>

#include <skua/input.hpp>

#include "backend_host.hpp"
#if defined(SKUA_GPU_HIP) || defined(SKUA_GPU_CUDA)
#include "backend_hip.hpp"
#endif

namespace skua {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, OpenBackend> backends = {
#if defined(SKUA_GPU_HIP) || defined(SKUA_GPU_CUDA)
      {"gpu", open_gpus},
#endif
      {"host", open_host}};
};

Registry& registry() {
  static Registry one;
  return one;
}

OpenBackend find_backend(const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().backends.find(name);
  return found == registry().backends.end() ? OpenBackend{} : found->second;
}

std::string known_backends() {
  std::string text = "auto";
  for (const std::string& name : backend_names()) text += ", " + name;
  return text;
}

Devices open_automatic(const Topology& topology, const Clock& clock) {
  const OpenBackend open = find_backend("gpu");
  if (!open) return open_host("", topology, clock);
  try {
    return open("", topology, clock);
  } catch (const InputError& error) {
    return open_host_instead(std::string("no GPU, so the host runs all: ") + error.what(), topology, clock);
  }
}

Devices open_part(const std::string& part, const Topology& topology, const Clock& clock) {
  if (part == "auto") return open_automatic(topology, clock);
  const std::size_t colon = part.find(':');
  const OpenBackend open = find_backend(part.substr(0, colon));
  if (!open && part.substr(0, colon) == "gpu") {
    throw InputError("--devices " + part + ": this skua was built without GPUs (SKUA_GPU=none)");
  }
  if (!open && part.substr(0, colon) == "simulated") {
    throw InputError("--devices " + part + ": simulated devices run nothing in real time; use skua simulate --machine");
  }
  if (!open) throw InputError("--devices " + part + ": no such backend; there are " + known_backends());
  if (colon == std::string::npos) return open("", topology, clock);
  if (colon + 1 == part.size()) throw InputError("--devices " + part + ": nothing after the colon");
  return open(part.substr(colon + 1), topology, clock);
}

}  // namespace

Devices open_devices(const std::string& spec, const Topology& topology, const Clock& clock) {
  Devices devices;
  std::size_t begin = 0;
  while (begin <= spec.size()) {
    const std::size_t end = std::min(spec.find(';', begin), spec.size());
    const std::string part = spec.substr(begin, end - begin);
    if (part.empty()) throw InputError("--devices '" + spec + "': an empty part");
    for (auto& device : open_part(part, topology, clock)) devices.push_back(std::move(device));
    begin = end + 1;
  }
  if (devices.empty()) throw InputError("--devices " + spec + ": no device");
  return devices;
}

void register_backend(const std::string& name, OpenBackend open) {
  const std::lock_guard lock(registry().mutex);
  if (name == "auto" || !registry().backends.emplace(name, std::move(open)).second) {
    throw InputError("backend " + name + " exists already");
  }
}

std::vector<std::string> backend_names() {
  const std::lock_guard lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto& [name, open] : registry().backends) names.push_back(name);
  return names;
}

}  // namespace skua
