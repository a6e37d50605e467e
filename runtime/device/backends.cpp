// The one list of backends, and the grammar of --devices.
#include <skua/backends.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <skua/input.hpp>

#include <host/backend.hpp>
#include <text/registry.hpp>
#if defined(SKUA_GPU_HIP) || defined(SKUA_GPU_CUDA)
#include <gpu/backend.hpp>
#endif

namespace skua {
namespace {

Registry<OpenBackend>& registry() {
  static Registry<OpenBackend> one({
#if defined(SKUA_GPU_HIP) || defined(SKUA_GPU_CUDA)
    {"gpu", open_gpus},
#endif
    {
      "host", open_host
    }
  });
  return one;
}

std::string known_backends() {
  std::string text = "auto";
  for (const std::string& name : backend_names()) text += ", " + name;
  return text;
}

Devices open_automatic(const Topology& topology, const Clock& clock) {
  const OpenBackend open = registry().find("gpu");
  if (!open) return open_host("", topology, clock);
  try {
    return open("", topology, clock);
  } catch (const InputError& error) {
    return open_host_instead(std::string("no GPU, so the host runs all: ") + error.what(), topology, clock);
  }
}

/// "gpu:0,1" in two. `argument` is nothing where there is no colon.
struct Part {
  std::string backend;
  std::optional<std::string> argument;

  std::string text() const { return argument ? backend + ":" + *argument : backend; }
};

Part split_part(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, std::nullopt};
  if (colon + 1 == text.size()) throw InputError("devices " + text + ": nothing after the colon");
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// In order; "gpu:0;gpu:1" becomes "gpu:0,1", so that a backend sees all that it is to open at once.
std::vector<Part> split_parts(const std::string& spec) {
  std::vector<Part> parts;
  std::size_t begin = 0;
  while (begin <= spec.size()) {
    const std::size_t end = std::min(spec.find(';', begin), spec.size());
    if (begin == end) throw InputError("devices '" + spec + "': an empty part");
    const Part part = split_part(spec.substr(begin, end - begin));
    begin = end + 1;
    const auto earlier =
        std::find_if(parts.begin(), parts.end(), [&](const Part& other) { return other.backend == part.backend; });
    if (earlier == parts.end()) {
      parts.push_back(part);
    } else if (earlier->argument && part.argument) {
      earlier->argument->append(1, ',').append(*part.argument);
    } else {
      throw InputError("devices '" + spec + "': all of " + part.backend + " and more of it");
    }
  }
  return parts;
}

Devices open_part(const Part& part, const Topology& topology, const Clock& clock) {
  if (part.backend == "auto" && !part.argument) return open_automatic(topology, clock);
  const OpenBackend open = registry().find(part.backend);
  if (!open && part.backend == "gpu") {
    throw InputError("devices " + part.text() + ": this skua was built without GPUs (SKUA_GPU=none)");
  }
  if (!open && part.backend == "simulated") {
    throw InputError("devices " + part.text() +
                     ": simulated devices run nothing in real time; use skua simulate --machine");
  }
  if (!open) throw InputError("devices " + part.text() + ": no such backend; there are " + known_backends());
  return open(part.argument.value_or(""), topology, clock);
}

}  // namespace

Devices open_devices(const std::string& spec, const Topology& topology, const Clock& clock) {
  Devices devices;
  for (const Part& part : split_parts(spec)) {
    for (auto& device : open_part(part, topology, clock)) devices.push_back(std::move(device));
  }
  if (devices.empty()) throw InputError("devices " + spec + ": no device");
  return devices;
}

void register_backend(const std::string& name, OpenBackend open) {
  if (name == "auto" || !registry().add(name, std::move(open))) throw InputError("backend " + name + " exists already");
}

std::vector<std::string> backend_names() {
  return registry().names();
}

}  // namespace skua
