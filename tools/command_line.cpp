// The command line of the program skua: the only source that reads CLI11, which costs more time to compile than to run.
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <skua/input.hpp>

#include "simulate_command.hpp"
#include "topology_command.hpp"

namespace skua {
namespace {

const std::map<std::string, Source> sources = {{"auto", Source::automatic},
                                               {"rocm-smi", Source::rocm_smi},
                                               {"kfd", Source::kfd},
                                               {"nvml", Source::nvml},
                                               {"hwloc", Source::hwloc}};
const std::map<std::string, TopologyFormat> formats = {
    {"text", TopologyFormat::text}, {"json", TopologyFormat::json}, {"dot", TopologyFormat::dot}};

template <class Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

void add_topology(CLI::App& application, int& exit_code) {
  const auto arguments = std::make_shared<TopologyArguments>();
  const auto format_name = std::make_shared<std::string>("text");
  const auto source_name = std::make_shared<std::string>("auto");
  CLI::App* command = application.add_subcommand("topology", "Show the GPUs of this machine and what joins them");
  command->add_option("--from", *source_name, "Whom to ask: auto, rocm-smi, kfd, nvml or hwloc")
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
  auto* format = command->add_option("--format", *format_name, "text, json or dot")
                     ->check(CLI::IsMember(names_of(formats)))
                     ->type_name("FORMAT");
  command
      ->add_flag_callback(
          "--json", [format_name] { *format_name = "json"; }, "The same as --format json")
      ->excludes(format);
  command->callback([arguments, source_name, format_name, &exit_code] {
    arguments->source = sources.at(*source_name);
    arguments->format = formats.at(*format_name);
    exit_code = run_topology_command(*arguments);
  });
}

void add_simulate(CLI::App& application, int& exit_code) {
  const auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command = application.add_subcommand("simulate", "Try policies out on a simulated machine");
  const auto option = [&](const char* name, std::string& value, const char* help, const char* type) {
    command->add_option(name, value, help)->type_name(type);
  };
  option("--machine", arguments->machine, "A described machine: skua.machine/1, or any topology that skua reads",
         "FILE");
  option("--scenario", arguments->scenario, "A named situation (docs/simulation.md; a name that is none lists them)",
         "NAME");
  option("--replay", arguments->replay, "A recorded run: a trace that skua wrote", "RUN.json");
  option("--policy", arguments->policy, "One or more policies, or all", "NAME,...");
  option("--gpus", arguments->gpus, "The first N GPUs of the machine only", "N");
  option("--items", arguments->items, "Items of the loop", "N");
  option("--costs", arguments->costs,
         "uniform, ramp, bimodal, power-law, random-walk, one-huge, or a file with one cost a line", "KIND|FILE.csv");
  option("--bytes-per-item", arguments->bytes_per_item, "Read where a chunk runs from where an even split puts it",
         "N");
  option("--host-threads", arguments->host_threads, "Host threads that all devices share", "N");
  option("--seed", arguments->seed, "The first seed (1)", "S");
  option("--seeds", arguments->seeds, "How many seeds (1); figures are medians", "N");
  option("--faults", arguments->faults, "KIND@DEVICE[:at=S,for=S,factor=F][;...], as hang@3 or slow@any:at=0.05",
         "SPEC");
  option("--engine", arguments->engine,
         "Who keeps virtual time: simgrid (the default where it is there; links are shared) or plain", "NAME");
  option("--trace", arguments->trace, "Write a trace that Perfetto opens", "FILE");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments, &exit_code] { exit_code = run_simulate_command(*arguments); });
}

}  // namespace

int run_command_line(int argument_count, const char* const* arguments) {
  int exit_code = 0;
  CLI::App application{"skua: one loop over many GPUs, all done together"};
  application.set_version_flag("--version", "skua " SKUA_VERSION);
  application.require_subcommand(0, 1);
  add_topology(application, exit_code);
  add_simulate(application, exit_code);
  check_environment();
  try {
    application.parse(argument_count, arguments);
  } catch (const CLI::Success& success) {
    return application.exit(success);
  } catch (const CLI::ParseError& error) {
    throw InputError(error.what());
  }
  if (application.get_subcommands().empty()) {
    throw InputError("give topology or simulate; skua --help, and skua topology --help, say more");
  }
  return exit_code;
}

}  // namespace skua
