// skua topology.
#include "topology_command.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <skua/discovery.hpp>

namespace skua {
namespace {

enum class Format { text, json, dot };

struct TopologyArguments {
  std::string source = "auto";
  std::string sysfs;
  std::string file;
  std::string format = "text";
};

const std::map<std::string, Source> sources = {{"auto", Source::automatic},
                                               {"rocm-smi", Source::rocm_smi},
                                               {"kfd", Source::kfd},
                                               {"nvml", Source::nvml},
                                               {"hwloc", Source::hwloc}};
const std::map<std::string, Format> formats = {{"text", Format::text}, {"json", Format::json}, {"dot", Format::dot}};

template <class Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

std::string formatted(const Topology& topology, Format format) {
  switch (format) {
    case Format::json:
      return to_json(topology);
    case Format::dot:
      return to_dot(topology);
    case Format::text:
      break;
  }
  return to_text(topology);
}

int show(const TopologyArguments& arguments) {
  DiscoveryOptions options;
  options.source = sources.at(arguments.source);
  if (!arguments.sysfs.empty()) options.sysfs = arguments.sysfs;
  if (!arguments.file.empty()) options.file = arguments.file;
  const std::string text = formatted(discover(options), formats.at(arguments.format));
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return is_written ? 0 : 1;
}

}  // namespace

void add_topology_command(CLI::App& application, int& exit_code) {
  const auto arguments = std::make_shared<TopologyArguments>();
  CLI::App* command = application.add_subcommand("topology", "Show the GPUs of this machine and what joins them");
  command->add_option("--from", arguments->source, "Whom to ask: auto, rocm-smi, kfd, nvml or hwloc")
      ->check(CLI::IsMember(names_of(sources)))
      ->type_name("SOURCE");
  auto* sysfs = command->add_option("--sysfs", arguments->sysfs, "Read a KFD tree in this folder in place of /sys")
                    ->type_name("DIR");
  command
      ->add_option(
          "--file", arguments->file,
          "Read a described machine: skua JSON, a machine description, XML of NCCL, RCCL or hwloc, or what nvidia-smi "
          "topo -m, rocm-smi --showtopo, amd-smi topology or rocm-bandwidth-test printed")
      ->type_name("FILE")
      ->excludes(sysfs);
  auto* format = command->add_option("--format", arguments->format, "text, json or dot")
                     ->check(CLI::IsMember(names_of(formats)))
                     ->type_name("FORMAT");
  command
      ->add_flag_callback(
          "--json", [arguments] { arguments->format = "json"; }, "The same as --format json")
      ->excludes(format);
  command->callback([arguments, &exit_code] { exit_code = show(*arguments); });
}

}  // namespace skua
