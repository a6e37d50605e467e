// The one list of backends, and the grammar of --devices.
#include <skua/backends.hpp>

#include <algorithm>
#include <iterator>
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
  // Never destroyed: a Scheduler may be opened in a destructor after main().
  static auto& one = *new Registry<OpenBackend>({
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

Devices open_automatic(const Topology& topology, const Clock& clock, const OpenOptions& options) {
  const OpenBackend open = registry().find("gpu");
  if (!open) return open_host("", topology, clock);
  try {
    return open("", topology, clock, options);
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

Devices open_part(const Part& part, const Topology& topology, const Clock& clock, const OpenOptions& options) {
  if (part.backend == "auto" && !part.argument) return open_automatic(topology, clock, options);
  const OpenBackend open = registry().find(part.backend);
  if (!open && part.backend == "gpu") {
    throw InputError("devices " + part.text() + ": this skua was built without GPUs (SKUA_GPU=none)");
  }
  if (!open && part.backend == "simulated") {
    throw InputError("devices " + part.text() +
                     ": simulated devices run nothing in real time; use skua simulate --machine");
  }
  if (!open) throw InputError("devices " + part.text() + ": no such backend; there are " + known_backends());
  return open(part.argument.value_or(""), topology, clock, options);
}

}  // namespace

Devices open_devices(const std::string& spec, const Topology& topology, const Clock& clock,
                     const OpenOptions& options) {
  const std::vector<Part> parts = split_parts(spec);
  std::vector<Devices> of_parts(parts.size());
  OpenOptions told = options;
  // The host comes last, since it leaves cores to the threads that drive the others.
  for (const bool is_host : {false, true}) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if ((parts[i].backend == "host") != is_host) continue;
      of_parts[i] = open_part(parts[i], topology, clock, told);
      const auto runs_in_poll = [](const auto& device) { return device->info().can.runs_in_poll; };
      const auto own = std::count_if(of_parts[i].begin(), of_parts[i].end(), runs_in_poll);
      told.driving_threads += static_cast<std::uint32_t>(of_parts[i].size() - static_cast<std::size_t>(own));
    }
  }
  Devices devices;
  for (Devices& of_part : of_parts) std::move(of_part.begin(), of_part.end(), std::back_inserter(devices));
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
