// skua topology: shows the machine, or a described one.
#pragma once

#include <string>

#include <skua/discovery.hpp>

namespace skua {

enum class TopologyFormat { text, json, dot };

/// What the command line says; empty texts where an option was left out.
struct TopologyArguments {
  Source source = Source::automatic;
  std::string sysfs;
  std::string file;
  TopologyFormat format = TopologyFormat::text;
  bool measures = false;
};

/// Prints to standard output; returns the exit code: 1 when that cannot be written.
/// Blocks: with `measures`, for the copies between all GPUs.
/// Fails: InputError for folders and files that cannot be read, and for measuring into a picture.
int run_topology_command(const TopologyArguments& arguments);

}  // namespace skua
