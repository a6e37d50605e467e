// skua topology.
#include "topology_command.hpp"

#include <cstdio>

#include <gpu/measure.hpp>
#include <skua/input.hpp>

namespace skua {
namespace {

std::string formatted(const Topology& topology, TopologyFormat format) {
  switch (format) {
    case TopologyFormat::json:
      return to_json(topology);
    case TopologyFormat::dot:
      return to_dot(topology);
    case TopologyFormat::text:
      break;
  }
  return to_text(topology);
}

int print(const std::string& text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return is_written ? 0 : 1;
}

}  // namespace

int run_topology_command(const TopologyArguments& arguments) {
  DiscoveryOptions options;
  options.source = arguments.source;
  if (!arguments.sysfs.empty()) options.sysfs = arguments.sysfs;
  if (!arguments.file.empty()) options.file = arguments.file;
  if (arguments.measures && arguments.format == TopologyFormat::dot) {
    throw InputError("--measure: there is text and json, but no dot");
  }
  const Topology topology = discover(options);
  if (!arguments.measures) return print(formatted(topology, arguments.format));
  const auto links = measure_links(topology);
  return print(arguments.format == TopologyFormat::json ? to_json(links) : to_text(links));
}

}  // namespace skua
