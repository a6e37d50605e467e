// skua topology.
#include "topology_command.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <skua/discovery.hpp>
#include <skua/input.hpp>
#include <skua/measure.hpp>

namespace skua {
namespace {

enum class Format { text, json, dot };

struct TopologyArguments {
  std::string source = "auto";
  std::string sysfs;
  std::string file;
  std::string format = "text";
  bool measures = false;
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

int print(const std::string& text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return is_written ? 0 : 1;
}

int show(const TopologyArguments& arguments) {
  DiscoveryOptions options;
  options.source = sources.at(arguments.source);
  if (!arguments.sysfs.empty()) options.sysfs = arguments.sysfs;
  if (!arguments.file.empty()) options.file = arguments.file;
  const Format format = formats.at(arguments.format);
  if (arguments.measures && format == Format::dot) throw InputError("--measure: there is text and json, but no dot");
  const Topology topology = discover(options);
  if (!arguments.measures) return print(formatted(topology, format));
  const auto links = measure_links(topology);
  return print(format == Format::json ? to_json(links) : to_text(links));
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
  auto* file = command
                   ->add_option("--file", arguments->file,
                                "Read a described machine: skua JSON, a machine description, XML of NCCL, RCCL or "
                                "hwloc, or what nvidia-smi "
                                "topo -m, rocm-smi --showtopo, amd-smi topology or rocm-bandwidth-test printed")
                   ->type_name("FILE")
                   ->excludes(sysfs);
  command
      ->add_flag("--measure", arguments->measures,
                 "Copy between all GPUs and the host, and show what the links carry beside what they declare")
      ->excludes(sysfs)
      ->excludes(file);
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
