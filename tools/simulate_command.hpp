// skua simulate: policies on a simulated machine.
#pragma once

#include <string>

namespace skua {

/// The texts of the command line; empty where an option was left out.
struct SimulateArguments {
  std::string machine;
  std::string scenario;
  std::string replay;
  std::string policy = "factoring";
  std::string gpus;
  std::string items;
  std::string costs;
  std::string bytes_per_item;
  std::string seed;
  std::string seeds;
  std::string host_threads;
  std::string faults;
  std::string trace;
  std::string engine;
  bool json = false;
};

/// Prints to standard output; returns the exit code: 1 when a simulated Job was unsound, or nothing can be written.
/// Fails: InputError for texts, files and combinations that are wrong.
int run_simulate_command(const SimulateArguments& arguments);

}  // namespace skua
